"""Names, as each language writes them."""

import keyword
import re


def words(name):
    return [word for word in re.split(r"[^A-Za-z0-9]+", name) if word]


def pascal(name):
    """`find_tracks` as `FindTracks`."""
    return "".join(word[0].upper() + word[1:] for word in words(name))


def camel(name):
    """`find_tracks` as `findTracks`."""
    text = pascal(name)
    return text[0].lower() + text[1:]


def argument(name):
    """A field as the name of an argument in Python: `from` is a word of the language."""
    return f"{name}_" if keyword.iskeyword(name) else name


def all_of(name):
    """The method that reads all pages of a list: `find_tracks` as `find_all_tracks`."""
    verb, _, rest = name.partition("_")
    return f"{verb}_all_{rest}"
