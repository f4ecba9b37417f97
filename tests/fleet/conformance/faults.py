"""All faults by name: what programs get wrong."""

from tests.fleet.conformance import faults_of_inputs, faults_of_installing, faults_of_sessions, faults_of_tags
from tests.fleet.conformance.planting import FAULTS, Deed

__all__ = ["FAULTS", "Deed", "faults_of_inputs", "faults_of_installing", "faults_of_sessions", "faults_of_tags"]
