import { type EmptyValues, emptyValue } from './empty-values';

/**
 * An element as a value: its text, or its fields if it has attributes or children. An empty element becomes the
 * configured value.
 */
type XmlValue = string | null | XmlFields;
interface XmlFields {
    [name: string]: XmlValue | XmlValue[];
}

/** The field with the text of an element that also has attributes or children. */
const TEXT_FIELD = '#text';

/**
 * An element that is being converted to a value. Repeated names make a list. The text of an element without
 * attributes and children stays as it is; otherwise the white space around it is removed.
 */
export class XmlElement {
    private fields: XmlFields | undefined;
    private text = '';

    /** What empty attributes and children become. */
    constructor(private readonly emptyValues: EmptyValues = 'TEXT') {}

    addText(text: string): void {
        this.text += text;
    }

    /** Adds an attribute or a child. */
    add(name: string, given: XmlValue): void {
        this.fields ??= {};
        const value = given === '' ? emptyValue(this.emptyValues) : given;
        if (value === undefined) return;
        // Not `in`: a field may be called like a method that every object has.
        if (!Object.hasOwn(this.fields, name)) return set(this.fields, name, value);
        const earlier = this.fields[name]!;
        if (Array.isArray(earlier)) earlier.push(value);
        else set(this.fields, name, [earlier, value]);
    }

    value(): XmlValue {
        if (!this.fields) return this.text;
        const text = this.text.trim();
        if (text !== '') this.add(TEXT_FIELD, text);
        return this.fields;
    }

    /** As a record, which has fields even if the element is only text. */
    record(): XmlFields {
        if (!this.fields) this.add(TEXT_FIELD, this.text);
        else this.value();
        return this.fields!;
    }
}

function set(fields: XmlFields, name: string, value: XmlValue | XmlValue[]): void {
    // A field "__proto__" must be an ordinary field, which only a definition makes it, not a write.
    if (name === '__proto__')
        Object.defineProperty(fields, name, { value, enumerable: true, configurable: true, writable: true });
    else fields[name] = value;
}
