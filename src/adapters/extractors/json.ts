import { z } from 'zod';
import { defineExtractor } from '../../core/adapter/extractor';
import { path } from '../../core/schema/fields';
import { jsonReader } from '../../io/formats/json';
import { checkSources, fileFields, fileNotes, filePages, pagesOf, savedOffset } from './managed-file';
import { textInPieces, textOf } from './text-file';

/** JSON of an uploaded file or of the step itself (spec 2, managed-file extractors). */
export const json = defineExtractor({
    code: 'json',
    category: 'Files',
    title: 'JSON',
    summary: 'Reads records from an uploaded JSON file or from JSON text.',
    config: z
        .strictObject({
            ...fileFields,
            jsonText: z
                .string()
                .optional()
                .meta({ title: 'JSON text', description: 'The JSON itself.', widget: 'textarea' }),
            itemsPath: path(
                'Items path',
                'Where the list of records is, as a dot path; the whole document where absent.',
            ).optional(),
        })
        .superRefine((given, cx) => checkSources(given, ['jsonText'], cx)),
    notes: [
        ...fileNotes,
        'A list of objects, a single object, and NDJSON (an object a line) are read; values keep their types.',
        'A number that cannot be held exactly (more than about 15 digits, or as large as 1e400) becomes the text that it is.',
        'An element that is no object is rejected; the others go on. Broken JSON makes the source malformed: nothing is read from it.',
    ],
    saved: savedOffset,
    async *extract({ fileId, jsonText, itemsPath }, cx) {
        const options = { ...(itemsPath !== undefined && { itemsPath }) };
        if (fileId !== undefined) {
            yield* filePages(
                { fileId, formats: ['json'], open: async file => ({ reader: jsonReader(textOf(file, cx), options) }) },
                cx,
            );
        } else if (jsonText !== undefined) {
            const reader = jsonReader(textInPieces(jsonText, cx), options);
            await reader.check();
            yield* pagesOf(reader, cx);
        }
    },
});
