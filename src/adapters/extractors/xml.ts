import { z } from 'zod';
import { defineExtractor } from '../../core/adapter/extractor';
import { ENCODINGS } from '../../io/formats/decode';
import { xmlEncoding, xmlReader } from '../../io/formats/xml';
import {
    adviseEncoding,
    adviseFile,
    checkSources,
    warnTo,
    emptyValues,
    fileFields,
    fileNotes,
    filePages,
    pagesOf,
    savedOffset,
} from './managed-file';
import { headOf, textInChunks, openFileText } from './text-file';
import { clause } from '../../core/errors/rendered';

const NAME = String.raw`[\p{L}_][\p{L}\p{N}\p{M}_:-]*(?:\\\.[\p{L}\p{N}\p{M}_:-]*)*`;

const FORMATS = ['xml'];
/** The fields for content in the step itself. */
const INLINE = ['xmlText'];

/** XML of an uploaded file or of the step itself. */
export const xml = defineExtractor({
    code: 'xml',
    category: 'Files',
    title: 'XML',
    summary: 'Reads records from an uploaded XML file or from XML text.',
    config: z
        .strictObject({
            ...fileFields(FORMATS, INLINE),
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
                        'The names of elements from the root to the records, joined by dots: catalog.products.product. Default: the children of the root.',
                }),
            attributePrefix: z
                .string()
                .max(16)
                .refine(prefix => !/[\s.]/.test(prefix), 'allowed: anything but white space and dots')
                .default('@')
                .meta({
                    title: 'Attribute prefix',
                    description: 'The prefix of attribute names, which distinguishes them from elements.',
                }),
            encoding: z.enum(ENCODINGS).optional().meta({
                title: 'Encoding',
                description:
                    'For a managed file: its encoding, if the XML declaration is missing or wrong. Default: the declared one.',
            }),
            emptyValues,
        })
        .superRefine((given, cx) => checkSources(given, INLINE, cx)),
    notes: [
        ...fileNotes,
        'All values are text. An element without attributes and children is its text; otherwise the text is under #text. An element that occurs several times is a list. If it may also occur once, the operator split with a delimiter that does not occur makes it a list.',
        'An empty element or attribute is not a field of the record, so a loader keeps the stored value; emptyValues turns it into null or an empty text. An element with white space is not empty. An element with attributes or children is an object, even if they are empty.',
        'A recordPath without a matching element makes the source malformed; the message names the paths that exist. If the element around the records is empty, there are no records.',
        'A document type declaration (DOCTYPE) is rejected, including its entities; nothing is fetched or expanded.',
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
        {
            config: { fileId: 'stock.xml', encoding: 'macintosh' },
            files: { 'stock.xml': '<stock><item><name>Größe</name></item></stock>' },
            out: [{ name: 'Größe' }],
        },
    ],
    advise: given => [...adviseFile(given), ...adviseEncoding(given, clause`XML text`)],
    saved: savedOffset,
    async *extract({ fileId, xmlText, recordPath, encoding, ...how }, cx) {
        const { attributePrefix, emptyValues: empty } = how;
        const options = {
            attributePrefix,
            emptyValues: empty,
            doubt: warnTo(cx),
            ...(recordPath !== undefined && { recordPath }),
        };
        if (fileId !== undefined) {
            yield* filePages(
                {
                    fileId,
                    formats: FORMATS,
                    open: async file => ({
                        reader: xmlReader(
                            openFileText(file, cx, encoding ?? xmlEncoding(await headOf(file, cx))),
                            options,
                        ),
                    }),
                },
                cx,
            );
        } else if (xmlText !== undefined) {
            const reader = xmlReader(textInChunks(xmlText, cx), options);
            await reader.check();
            yield* pagesOf(reader, cx);
        }
    },
});
