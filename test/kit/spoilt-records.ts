import { isJsonObject, type JsonObject, type JsonValue } from '../../src/core/value/json';

/** Values that nobody may read who may not read records, with signs that could lead a mask astray. */
const SECRETS: readonly JsonValue[] = [
    'Canary" canary 7; allowed: "Canary',
    `canary ${'\\" canary '.repeat(20)}`,
    '918273645x',
    918273645.25,
    -918273645,
    ['canary', 918273645],
    { canary: 'canary', amount: 918273645 },
];

/** Whether a text tells one of them. */
export function tellsSecret(text: string): boolean {
    // The name of a field is no value, also of one that a record has made up.
    return /canary|918273645|918,273,645/i.test(text.replace(/field "[^"\s]*"/gi, ''));
}

/** A record with each of its values after the other, however deep it stands, replaced by each of the secrets. */
export function spoilt(record: JsonObject): readonly JsonObject[] {
    return Object.keys(record).flatMap(field =>
        inPlaceOf(record[field]!).map(value => ({ ...record, [field]: value })),
    );
}

function inPlaceOf(value: JsonValue): readonly JsonValue[] {
    if (Array.isArray(value))
        return [
            ...SECRETS,
            ...value.flatMap((_, at) => inPlaceOf(value[at] as JsonValue).map(one => value.with(at, one))),
        ];
    return isJsonObject(value) ? [...SECRETS, ...spoilt(value)] : SECRETS;
}
