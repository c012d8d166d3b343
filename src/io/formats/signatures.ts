/** What a file's first bytes look like, in the words of a message. */
export interface Signature {
    readonly looksLike: string;
    readonly at?: number;
    /** Each character is one byte. */
    readonly bytes: string;
}

/** The first bytes of the two containers of workbooks. */
export const ZIP = 'PK\x03\x04';
export const OLE = '\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1';

/** Kinds of binary files that have a signature. No text begins with one of these by chance. */
export const SIGNATURES: readonly Signature[] = [
    { looksLike: 'a PNG image', bytes: '\x89PNG' },
    { looksLike: 'a JPEG image', bytes: '\xff\xd8\xff' },
    { looksLike: 'a GIF image', bytes: 'GIF87a' },
    { looksLike: 'a GIF image', bytes: 'GIF89a' },
    { looksLike: 'a WebP image', at: 8, bytes: 'WEBPVP8' },
    { looksLike: 'a TIFF image', bytes: 'II*\0' },
    { looksLike: 'a TIFF image', bytes: 'MM\0*' },
    { looksLike: 'a PDF document', bytes: '%PDF-' },
    { looksLike: 'an RTF document', bytes: '{\\rtf' },
    { looksLike: 'an empty ZIP archive', bytes: 'PK\x05\x06' },
    { looksLike: 'a split ZIP archive', bytes: 'PK\x07\x08' },
    { looksLike: 'a gzip archive', bytes: '\x1f\x8b' },
    { looksLike: 'a bzip2 archive', at: 4, bytes: '1AY&SY' },
    { looksLike: 'an XZ archive', bytes: '\xfd7zXZ\0' },
    { looksLike: 'a Zstandard archive', bytes: '\x28\xb5\x2f\xfd' },
    { looksLike: 'a 7-Zip archive', bytes: '7z\xbc\xaf\x27\x1c' },
    { looksLike: 'a RAR archive', bytes: 'Rar!\x1a\x07' },
    { looksLike: 'a tar archive', at: 257, bytes: 'ustar' },
    { looksLike: 'an SQLite database', bytes: 'SQLite format 3\0' },
    { looksLike: 'a Parquet file', bytes: 'PAR1\x15' },
    { looksLike: 'a program', bytes: '\x7fELF' },
    { looksLike: 'a program', bytes: 'MZ\x90\0' },
];

/** Files that a ZIP archive of a known kind holds; the first that is found determines the kind. */
export const ZIP_ENTRIES: ReadonlyArray<{
    readonly entry: string;
    readonly looksLike: string;
    readonly isWorkbook?: true;
}> = [
    { entry: 'mimetypeapplication/vnd.oasis.opendocument', looksLike: 'an OpenDocument file' },
    { entry: 'word/', looksLike: 'a Word document' },
    { entry: 'ppt/', looksLike: 'a PowerPoint presentation' },
    { entry: 'xl/', looksLike: 'an Excel workbook (XLSX)', isWorkbook: true },
    { entry: '[Content_Types].xml', looksLike: 'an Excel workbook (XLSX)', isWorkbook: true },
    { entry: '_rels/.rels', looksLike: 'an Excel workbook (XLSX)', isWorkbook: true },
    { entry: 'docProps/', looksLike: 'an Excel workbook (XLSX)', isWorkbook: true },
];

/** Streams within an OLE container, whose names are UTF-16: each identifies a file other than an XLS. */
export const OLE_STREAMS: ReadonlyArray<{ readonly stream: string; readonly looksLike: string }> = [
    { stream: 'EncryptedPackage', looksLike: 'a workbook that is protected by a password (save it without one)' },
    { stream: 'WordDocument', looksLike: 'a Word document' },
    { stream: 'PowerPoint Document', looksLike: 'a PowerPoint presentation' },
];
