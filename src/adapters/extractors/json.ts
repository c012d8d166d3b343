import { z } from 'zod';
import { defineExtractor } from '../../core/adapter/extractor';
import { path } from '../../core/schema/fields';
import { ENCODINGS } from '../../io/formats/decode';
import { jsonReader } from '../../io/formats/json';
import {
    adviseEncoding,
    adviseFile,
    checkSources,
    warnTo,
    fileFields,
    fileNotes,
    filePages,
    pagesOf,
    savedOffset,
} from './managed-file';
import { textInChunks, openFileText } from './text-file';
import { clause } from '../../core/errors/rendered';

const FORMATS = ['json'];
/** The fields for content in the step itself. */
const INLINE = ['jsonText'];

/** JSON of an uploaded file or of the step itself. */
export const jsonExtractor = defineExtractor({
    code: 'json',
    category: 'Files',
    title: 'JSON',
    summary: 'Reads records from an uploaded JSON file or from JSON text.',
    config: z
        .strictObject({
            ...fileFields(FORMATS, INLINE),
            jsonText: z
                .string()
                .optional()
                .meta({ title: 'JSON text', description: 'The JSON itself.', widget: 'textarea' }),
            itemsPath: path(
                'Items path',
                'The dot path of the list of records. Default: the whole document.',
            ).optional(),
            encoding: z.enum(ENCODINGS).optional().meta({
                title: 'Encoding',
                description: 'For a managed file: its encoding. UTF-8 and UTF-16 are detected.',
            }),
        })
        .superRefine((given, cx) => checkSources(given, INLINE, cx)),
    notes: [
        ...fileNotes,
        'The text is a list of objects, a single object, or NDJSON (one object per line). Values keep their types.',
        'A number that cannot be represented exactly (more than about 15 digits, or as large as 1e400) becomes text. An object with a repeated key is rejected, with its original text in the field "value".',
        'An element that is not an object is rejected; the others are read. If the JSON is invalid, the source is malformed and nothing is loaded from it.',
    ],
    examples: [
        {
            config: { jsonText: '[{"sku": "TS-1", "price": 19.95}, {"sku": "TS-2", "id": 12345678901234567890}]' },
            out: [
                { sku: 'TS-1', price: 19.95 },
                { sku: 'TS-2', id: '12345678901234567890' },
            ],
            note: 'A number that cannot be represented exactly becomes text.',
        },
        {
            config: { fileId: 'feed.json', itemsPath: 'data.products' },
            files: { 'feed.json': '{"data": {"products": [{"sku": "TS-1"}, "TS-2", {"sku": "TS-3"}]}}' },
            out: [{ sku: 'TS-1' }, { sku: 'TS-3' }],
            errors: ['is "TS-2"; allowed: an object'],
        },
        {
            config: { fileId: 'lines.json' },
            files: { 'lines.json': '{"sku": "TS-1"}\n{"sku": "TS-2"}\n' },
            out: [{ sku: 'TS-1' }, { sku: 'TS-2' }],
            note: 'An object a line (NDJSON).',
        },
        {
            config: { fileId: 'articles.json', encoding: 'iso-8859-15' },
            files: { 'articles.json': '[{"sku": "TS-1", "price": "5 €"}]' },
            out: [{ sku: 'TS-1', price: '5 €' }],
        },
    ],
    advise: given => [...adviseFile(given), ...adviseEncoding(given, clause`JSON text`)],
    saved: savedOffset,
    async *extract({ fileId, jsonText, itemsPath, encoding }, cx) {
        const options = { doubt: warnTo(cx), ...(itemsPath !== undefined && { itemsPath }) };
        if (fileId !== undefined) {
            yield* filePages(
                {
                    fileId,
                    formats: FORMATS,
                    open: async file => ({ reader: jsonReader(openFileText(file, cx, encoding), options) }),
                },
                cx,
            );
        } else if (jsonText !== undefined) {
            const reader = jsonReader(textInChunks(jsonText, cx), options);
            await reader.check();
            yield* pagesOf(reader, cx);
        }
    },
});
