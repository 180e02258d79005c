//! Objects: streaming put with hash, ranged get, delete and list, on a local folder or S3.
