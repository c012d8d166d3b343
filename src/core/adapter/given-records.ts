import { z } from 'zod';
import { jsonObject } from '../schema/fields';
import { defineExtractor } from './extractor';

/** Stands in for a source where records are given by hand: in step tests and in the test kit. In no registry that pipelines are published with. */
export const givenRecords = defineExtractor({
    code: 'givenRecords',
    title: 'Given records',
    summary: 'Reads the records that were given.',
    config: z.strictObject({ records: z.array(jsonObject()) }),
    async *extract({ records }) {
        yield { records };
    },
});
