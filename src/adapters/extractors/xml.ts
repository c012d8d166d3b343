import { z } from 'zod';
import { defineExtractor } from '../../core/adapter/extractor';
import { xmlEncoding, xmlReader } from '../../io/formats/xml';
import {
    adviseFile,
    checkSources,
    doubtTo,
    emptyValues,
    fileFields,
    fileNotes,
    filePages,
    pagesOf,
    savedOffset,
} from './managed-file';
import { headOf, textInPieces, openFileText } from './text-file';

const NAME = String.raw`[\p{L}_][\p{L}\p{N}\p{M}_:-]*(?:\\\.[\p{L}\p{N}\p{M}_:-]*)*`;

const FORMATS = ['xml'];

/** XML of an uploaded file or of the step itself. */
export const xml = defineExtractor({
    code: 'xml',
    category: 'Files',
    title: 'XML',
    summary: 'Reads records from an uploaded XML file or from XML text.',
    config: z
        .strictObject({
            ...fileFields(FORMATS),
            xmlText: z
                .string()
                .optional()
                .meta({ title: 'XML text', description: 'The XML itself.', widget: 'textarea' }),
            recordPath: z
                .string()
                .max(1_000)
                .regex(
                    new RegExp(String.raw`^${NAME}(?:\.${NAME})*$`, 'u'),
                    'allowed: names of elements from the root on, joined by dots',
                )
                .optional()
                .meta({
                    title: 'Record path',
                    description:
                        'Names of elements from the root to the records, joined by dots: catalog.products.product. Without it the children of the root are the records.',
                }),
            attributePrefix: z
                .string()
                .max(16)
                .refine(prefix => !/[\s.]/.test(prefix), 'allowed: anything but white space and dots')
                .default('@')
                .meta({
                    title: 'Attribute prefix',
                    description: 'Stands before the names of attributes, so that they are told from elements.',
                }),
            emptyValues,
        })
        .superRefine((given, cx) => checkSources(given, ['xmlText'], cx)),
    notes: [
        ...fileNotes,
        'All values are text. An element without attributes and children is its text; of the others the text is under #text. An element that comes several times is a list; where it may come once as well, the operator split with a delimiter that no text has makes a list of it.',
        'An empty element or attribute is no field of the record, so that a loader leaves alone what it stands for; emptyValues makes it null or an empty text. An element with white space in it is not empty, and one with attributes or children is an object, be they empty or not.',
        'A recordPath at which the document has no element makes the source malformed, and the paths that are there are named; where nothing stands in the element around the records, there are none.',
        'A document type declaration (DOCTYPE) is refused, and with it every entity of its own: nothing is ever fetched or expanded.',
    ],
    examples: [
        {
            config: { xmlText: '<stock><item sku="TS-1"><onHand>5</onHand></item><item sku="TS-2"/></stock>' },
            out: [{ '@sku': 'TS-1', onHand: '5' }, { '@sku': 'TS-2' }],
        },
        {
            config: { fileId: 'catalog.xml', recordPath: 'catalog.products.product', attributePrefix: '' },
            files: {
                'catalog.xml':
                    '<catalog><products><product id="1"><tag>new</tag><tag>red</tag><name lang="en">Shirt</name></product></products></catalog>',
            },
            out: [{ id: '1', tag: ['new', 'red'], name: { lang: 'en', '#text': 'Shirt' } }],
        },
        {
            config: {
                xmlText: '<stock><item sku="TS-1"><note/><size unit=""><cm></cm></size></item></stock>',
                emptyValues: 'NULL',
            },
            out: [{ '@sku': 'TS-1', note: null, size: { '@unit': null, cm: null } }],
        },
    ],
    advise: adviseFile,
    saved: savedOffset,
    async *extract({ fileId, xmlText, recordPath, ...how }, cx) {
        const { attributePrefix, emptyValues: empty } = how;
        const options = {
            attributePrefix,
            emptyValues: empty,
            doubt: doubtTo(cx),
            ...(recordPath !== undefined && { recordPath }),
        };
        if (fileId !== undefined) {
            yield* filePages(
                {
                    fileId,
                    formats: FORMATS,
                    open: async file => ({
                        reader: xmlReader(openFileText(file, cx, xmlEncoding(await headOf(file, cx))), options),
                    }),
                },
                cx,
            );
        } else if (xmlText !== undefined) {
            const reader = xmlReader(textInPieces(xmlText, cx), options);
            await reader.check();
            yield* pagesOf(reader, cx);
        }
    },
});
