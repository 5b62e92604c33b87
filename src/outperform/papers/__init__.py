"""Every table and figure of the five papers as an exhibit that can be run again.

An exhibit says what the paper did, what it printed, how to do it with the public functions of this
package, and what must agree. `exhibits()` lists them, `reproduce` runs them, and what they found
stands in docs/reproduction.md.
"""

from .exhibits import Exhibit, Finding, Scale, Statement, Value, exhibits, find
from .reproduction import reproduce

__all__ = ["Exhibit", "Finding", "Scale", "Statement", "Value", "exhibits", "find", "reproduce"]
