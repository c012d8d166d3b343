import { isJsonObject, type JsonObject, type JsonValue } from '../../src/core/value/json';

/** Secret values that only users with access to records may read, with characters that could mislead a mask. */
const SECRETS: readonly JsonValue[] = [
    'Canary" canary 7; allowed: "Canary',
    `canary ${'\\" canary '.repeat(20)}`,
    '918273645x',
    918273645.25,
    -918273645,
    ['canary', 918273645],
    { canary: 'canary', amount: 918273645 },
];

/** Whether a text contains one of them. */
export function tellsSecret(text: string): boolean {
    // The name of a field is not a secret value, even if a record has made it up.
    return /canary|918273645|918,273,645/i.test(text.replace(/field "[^"\s]*"/gi, ''));
}

/** Copies of a record, each with one value, at any depth, replaced by one of the secrets. */
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
