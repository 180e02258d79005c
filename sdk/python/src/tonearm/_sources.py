"""What can be uploaded, read in pieces."""

from __future__ import annotations

import os
import stat
from typing import IO, Callable, Iterable, Iterator, Optional, Tuple, Union, cast

from ._errors import SourceError

#: The path of a file, an open binary file, bytes, or chunks of bytes. Of what can be read only once, one piece is kept in
#: memory, so that it can be sent again.
UploadSource = Union[str, "os.PathLike[str]", bytes, bytearray, memoryview, IO[bytes], Iterable[bytes]]

_CHUNK = 256 * 1024


class Source:
    """A file in pieces."""

    #: What it is called, if it has a name.
    name: Optional[str] = None
    #: Its size in bytes; `None` until the end is known.
    size: Optional[int] = None

    def piece(self, offset: int, length: int) -> Tuple[bytes, bool]:
        """The bytes from `offset`, at most `length`, and whether they are the last."""
        raise NotImplementedError

    def close(self) -> None:
        """Closes what was opened for it."""


class _Bytes(Source):
    def __init__(self, data: Union[bytes, bytearray, memoryview]) -> None:
        self._data = memoryview(data).cast("B")
        self.size = len(self._data)

    def piece(self, offset: int, length: int) -> Tuple[bytes, bool]:
        end = min(offset + length, len(self._data))
        return bytes(self._data[offset:end]), end == len(self._data)


class _File(Source):
    """A file that can be read at any place. It begins where it is when it is given."""

    def __init__(self, file: IO[bytes], is_own: bool) -> None:
        self._file, self._is_own = file, is_own
        self._start = file.tell()
        self._length = file.seek(0, os.SEEK_END) - self._start
        self.size = self._length
        name = getattr(file, "name", None)
        self.name = os.path.basename(name) if isinstance(name, str) else None

    def piece(self, offset: int, length: int) -> Tuple[bytes, bool]:
        length = min(length, self._length - offset)
        parts = []
        try:
            self._file.seek(self._start + offset)
            while length > 0:
                part = self._file.read(length)
                if not part:
                    raise SourceError("the file became shorter while it was being uploaded")
                parts.append(part)
                length -= len(part)
                offset += len(part)
        except OSError as error:
            raise _unreadable(error) from error
        return b"".join(parts), offset == self._length

    def close(self) -> None:
        if self._is_own:
            self._file.close()


class _Stream(Source):
    """Chunks that can be read once: the last piece is kept."""

    def __init__(self, chunks: Iterator[bytes]) -> None:
        self._chunks = chunks
        self._kept = b""
        self._start = 0
        self._is_ended = False

    def _fill(self, length: int) -> None:
        parts, filled = [self._kept], len(self._kept)
        while not self._is_ended and filled < length:
            try:
                chunk = next(self._chunks, None)
            except OSError as error:
                raise _unreadable(error) from error
            if chunk is None:
                self._is_ended = True
            elif not isinstance(chunk, (bytes, bytearray, memoryview)):
                raise TypeError("the chunks of a source must be bytes")
            else:
                parts.append(bytes(chunk))
                filled += len(parts[-1])
        self._kept = b"".join(parts)
        if self._is_ended:
            self.size = self._start + filled

    def piece(self, offset: int, length: int) -> Tuple[bytes, bool]:
        if offset < self._start:
            raise SourceError("the stream has passed what the service is missing; upload it again")
        # A resumed upload begins in the middle: what the service has already is read, and dropped.
        while True:
            # One byte more than the piece tells whether it is the last.
            self._fill(length + 1)
            drop = min(offset - self._start, len(self._kept))
            self._kept = self._kept[drop:]
            self._start += drop
            if self._start == offset and (len(self._kept) > length or self._is_ended):
                return self._kept[:length], self._is_ended and len(self._kept) <= length
            if self._is_ended:
                raise SourceError("the stream is shorter than what the service has; is it the same file?")


def _unreadable(error: OSError) -> SourceError:
    return SourceError(f"the file cannot be read: {error.strerror or error}")


def _opened(path: Union[str, os.PathLike[str]]) -> Source:
    try:
        # Whatever is no file is never opened: a pipe would wait for a writer.
        if not stat.S_ISREG(os.stat(path).st_mode):
            raise SourceError("this is not a regular file")
        return _File(open(path, "rb"), is_own=True)
    except OSError as error:
        raise _unreadable(error) from error


def _read(read: Callable[[int], bytes]) -> Iterator[bytes]:
    while True:
        chunk = read(_CHUNK)
        if not chunk:
            return
        yield chunk


def open_source(source: UploadSource) -> Source:
    """The source, ready to be read."""
    if isinstance(source, (str, os.PathLike)):
        return _opened(source)
    if isinstance(source, (bytes, bytearray, memoryview)):
        return _Bytes(source)
    read = getattr(source, "read", None)
    if read is not None:
        seekable = getattr(source, "seekable", None)
        if seekable is not None and seekable():
            return _File(cast(IO[bytes], source), is_own=False)
        return _Stream(_read(read))
    if hasattr(source, "__iter__"):
        return _Stream(iter(source))
    raise TypeError("a source is the path of a file, an open binary file, bytes, or chunks of bytes")
