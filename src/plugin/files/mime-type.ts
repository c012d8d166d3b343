/** What a format is called where its upload did not say, or said no more than "some bytes". */
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

/** A media type without its parameters, in small letters; undefined for one that says nothing, or is none. */
export function declaredMimeType(given: string | undefined): string | undefined {
    const type = given?.split(';')[0]?.trim().toLowerCase();
    return type === undefined || type === UNSPOKEN || !MIME_TYPE.test(type) ? undefined : type;
}

/** The media type of a file: as its upload said, or as its format has it. */
export function mimeTypeOf(format: string, said: string | undefined): string {
    return said ?? MIME_TYPES[format] ?? UNSPOKEN;
}
