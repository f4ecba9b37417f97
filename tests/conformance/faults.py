"""All faults by name: what programs get wrong."""

from tests.conformance import faults_of_inputs, faults_of_installing, faults_of_sessions, faults_of_tags
from tests.conformance.planting import FAULTS, Deed

__all__ = ["FAULTS", "Deed", "faults_of_inputs", "faults_of_installing", "faults_of_sessions", "faults_of_tags"]
