"""The version of this package, as pyproject.toml says it too."""

VERSION = "0.1.0"
