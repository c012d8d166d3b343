import { z } from 'zod';
import type { JsonObject } from '../value/json';
import { jsonObject } from '../schema/fields';
import { defineExtractor } from './extractor';
import type { Registry } from './registry';

const anyRecord = jsonObject();
// Keeps the value as given, because a schema of records returns a copy without a field "__proto__".
const record = z.custom<JsonObject>(value => anyRecord.safeParse(value).success, {
    message: 'allowed: an object of JSON values',
});

/** As much as a webhook may bring, in bytes of JSON. */
export const MAX_PROVIDED_BYTES = 10 * 1024 * 1024;

/**
 * Replaces a source when a user supplies the records: in step tests and in the test kit. The registry for published pipelines never contains it.
 */
export const providedRecords = defineExtractor({
    code: 'givenRecords',
    title: 'Given records',
    summary: 'Reads the records that were given.',
    config: z.strictObject({
        records: z.array(record),
        places: z.array(z.string().nullable()).optional(),
    }),
    async *extract({ records, places }) {
        yield { records, ...(places && { placeOf: index => places[index] ?? undefined }) };
    },
});

/** A registry for definitions whose sources were replaced by records. Users cannot write such a source, and no message names it. */
export function withProvidedRecords(registry: Registry): Registry {
    return registry.withInternal([providedRecords]);
}
