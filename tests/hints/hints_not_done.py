"""Advice that no test can follow: to a person, to another machine, or to a disk."""

NOT_DONE = {
    "log_to_mlflow needs the mlflow package": "would install a package",
    "{name} is an Excel workbook, which needs": "would install a package",
    "{self.name} is packed with Zstandard": "would install a package",
    "{'\\n  '.join([said, *lines": "would install packages on other machines",
    "No Dask worker has answered": "the workers of a cluster must hang first",
    "--dask needs extra packages": "would install a package",
    "{name} was written by a newer version of outperform": "would install a package",
    "{name} cannot grow": "the disk must be full; test_faults.py fills one, and resumes",
    "{name} is locked by another process": "that process must end first",
    "{name} cannot be opened or written": "permissions do not bind root, who may run the tests",
    "{name} is not readable by this user": "permissions do not bind root, who may run the tests",
    "{name} cannot be read or written": "the disk must fail",
    "{first} and {second} have no finite difference": "every method has one on data we accept",
}
"""How a message begins, and why what it advises is not done here."""
