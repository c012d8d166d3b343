import { isJsonObject, type JsonObject, type JsonValue } from '../../../core/value/json';
import type { TextFormat } from './batches';

const START =
    'A-Za-z_\\u00C0-\\u00D6\\u00D8-\\u00F6\\u00F8-\\u02FF\\u0370-\\u037D\\u037F-\\u1FFF\\u200C-\\u200D\\u2070-\\u218F\\u2C00-\\u2FEF\\u3001-\\uD7FF\\uF900-\\uFDCF\\uFDF0-\\uFFFD';
/** XML 1.0, section 2.3; without colons, which are of namespaces. */
const NAME = new RegExp(`^[${START}][\\u0300-\\u036F\\u203F-\\u2040\\u00B7${START}0-9.-]*$`);
const MARKUP = /[&<>"\r]/g;
const ENTITIES: Readonly<Record<string, string>> = {
    '&': '&amp;',
    '<': '&lt;',
    '>': '&gt;',
    '"': '&quot;',
    // Without this escape, readers would convert it to another line end.
    '\r': '&#13;',
};
/** No document of XML 1.0 may have these in it, not even escaped (section 2.2). */
const ILLEGAL =
    /[\x00-\x08\x0B\x0C\x0E-\x1F\uFFFE\uFFFF]|[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/g;

/** Whether a text is valid as the name of an element. */
export function isElementName(name: string): boolean {
    return NAME.test(name) && !/^xml/i.test(name);
}

/** A text without the characters that no XML document may have. */
export function legalText(text: string): string {
    return text.replace(ILLEGAL, '');
}

/** A text as it is written between tags or in an attribute. */
export function escapedText(text: string): string {
    return legalText(text).replace(MARKUP, found => ENTITIES[found]!);
}

/** An element: fields are elements in it, a list is the same element several times, null is an empty one. */
export function element(name: string, value: JsonValue): string {
    if (Array.isArray(value)) return (value as readonly JsonValue[]).map(one => element(name, one)).join('');
    if (value === null) return `<${name}/>`;
    return `<${name}>${isJsonObject(value) ? fieldsOf(value) : escapedText(String(value))}</${name}>`;
}

function fieldsOf(data: JsonObject): string {
    return Object.entries(data)
        .map(([name, value]) => element(name, value))
        .join('');
}

/** The text around the records of a document. */
export interface XmlFrame {
    readonly before: string;
    readonly after: string;
    /** A record as an element. */
    record(data: JsonObject): string;
}

/** A document of one kind of element within another. */
export function plainFrame({ root, record }: { readonly root: string; readonly record: string }): XmlFrame {
    return { before: `<${root}>`, after: `</${root}>`, record: data => element(record, data) };
}

/** A document of XML 1.0 in UTF-8, a record a line. */
export function xmlText(frame: XmlFrame): TextFormat {
    return {
        before: `<?xml version="1.0" encoding="UTF-8"?>\n${frame.before}\n`,
        of: batch => batch.map(data => `${frame.record(data)}\n`).join(''),
        after: `${frame.after}\n`,
    };
}
