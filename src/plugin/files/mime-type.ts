/** The media types of formats, used if the upload declares none, or only "application/octet-stream". */
const MIME_TYPES: Readonly<Record<string, string>> = {
    csv: 'text/csv',
    json: 'application/json',
    xml: 'application/xml',
    txt: 'text/plain',
    xls: 'application/vnd.ms-excel',
    xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
};
const UNSPOKEN = 'application/octet-stream';
const MIME_TYPE = /^[a-z0-9][a-z0-9!#$&^_.+-]{0,62}\/[a-z0-9][a-z0-9!#$&^_.+-]{0,62}$/;

/** A media type without its parameters, in lowercase; undefined if it is invalid or unspecific. */
export function declaredMimeType(given: string | undefined): string | undefined {
    const type = given?.split(';')[0]?.trim().toLowerCase();
    return type === undefined || type === UNSPOKEN || !MIME_TYPE.test(type) ? undefined : type;
}

/** The media type of a file: as declared by the upload, otherwise derived from its format. */
export function mimeTypeOf(format: string, said: string | undefined): string {
    return said ?? MIME_TYPES[format] ?? UNSPOKEN;
}
