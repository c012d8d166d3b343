import sharp from 'sharp';
import { naming } from '../../../test/kit/naming';
import { runBatch } from '../../testing/bare-call';
import type { JsonObject, JsonValue } from '../../core/value/json';
import { normalCall } from '../../core/pipeline/normal-form';
import { Registry } from '../../core/adapter/registry';
import { parseWith } from '../../core/schema/issues';
import { readPdf } from '../../../test/kit/read-pdf';
import { imageConvert } from './image-convert';
import { imageResize } from './image-resize';
import { pdfGenerate } from './pdf-generate';

// Encoders on a machine that has other work too.
jest.setTimeout(60_000);

const png = async (width: number, height: number): Promise<string> =>
    (
        await sharp({ create: { width, height, channels: 3, background: 'red' } })
            .png()
            .toBuffer()
    ).toString('base64');
const field = (record: { readonly data: JsonObject } | undefined, name: string): Buffer =>
    Buffer.from(String(record?.data[name]), 'base64');
const faultsOf = (
    schema: typeof imageResize.config | typeof pdfGenerate.config,
    args: JsonObject,
): readonly unknown[] => {
    const parsed = parseWith(schema, args);
    return parsed.ok ? [] : parsed.issues;
};
/** The path of an issue, and what its message names. */
const issue = (path: string, ...named: ReadonlyArray<string | number>): unknown =>
    expect.objectContaining({
        path,
        message: expect.stringMatching(naming(path, ...named)),
    });

describe('imageResize and imageConvert', () => {
    it('continue with the batch in its order when one record has no image', async () => {
        const records = await Promise.all(
            [9, 3, 7, 5, 1, 8].map(async width => ({ width, image: width === 7 ? 'no' : await png(width * 10, 20) })),
        );
        const { out, rejected } = await runBatch(
            { operator: imageResize, args: { sourceField: 'image', height: 10 } },
            records,
        );
        expect(out.map(({ data }) => data['width'])).toEqual([9, 3, 5, 1, 8]);
        expect(rejected.map(({ record, error }) => [record.origin.seq, error.treat, error.details])).toEqual([
            [2, 'record', { path: 'image' }],
        ]);
        expect(
            await Promise.all(out.map(async record => (await sharp(field(record, 'image')).metadata()).width)),
        ).toEqual([45, 15, 25, 5, 40]);
    });

    it('reject a record whose target cannot be written', async () => {
        const { out, rejected } = await runBatch(
            { operator: imageConvert, args: { sourceField: 'image', targetField: 'sku.thumb', format: 'jpeg' } },
            [{ sku: 'A', image: await png(2, 2) }],
        );
        expect(out).toEqual([]);
        expect(rejected).toMatchObject([
            {
                error: {
                    code: 'RECORD_INVALID',
                    details: { path: 'sku.thumb' },
                    message: expect.stringMatching(naming('"sku.thumb"', '"sku"')),
                },
            },
        ]);
    });

    it('end when the run is cancelled', async () => {
        const cancel = new AbortController();
        const image = await png(2, 2);
        const turn = async (): Promise<void> => cancel.abort(new Error('cancelled'));
        const running = runBatch(
            { operator: imageConvert, args: { sourceField: 'image', format: 'gif' } },
            Array.from({ length: 20 }, () => ({ image })),
            { signal: cancel.signal, turn },
        );
        await expect(running).rejects.toThrow('cancelled');
    });

    it('take a format in any case', () => {
        const registry = Registry.of([imageConvert]);
        const formats = ['WEBP', 'WebP', 'jpg', 'AVIF', 'bmp'].map(format => {
            const call = normalCall({ op: 'imageConvert', args: { sourceField: 'a', format } }, registry) as {
                args: { format: JsonValue };
            };
            return call.args.format;
        });
        expect(formats).toEqual(['webp', 'webp', 'jpeg', 'avif', 'bmp']);
    });

    it('list the allowed values', () => {
        expect(faultsOf(imageResize.config, { sourceField: 'a' })).toEqual([issue('width', 'height')]);
        expect(faultsOf(imageResize.config, { sourceField: 'a', width: 10_001 })).toEqual([
            issue('width', 10_001, 1, 10_000),
        ]);
        expect(faultsOf(imageResize.config, { sourceField: 'a', width: 1, quality: 0 })).toEqual([
            issue('quality', 0, 1, 100),
        ]);
        expect(faultsOf(imageResize.config, { sourceField: 'a', width: 1, format: 'gif' })).toEqual([
            issue('format', '"gif"', '"jpeg"', '"png"', '"webp"', '"avif"'),
        ]);
    });
});

describe('pdfGenerate', () => {
    const pdfs = async (args: JsonObject, records: readonly JsonObject[]): Promise<readonly string[]> =>
        (await runBatch({ operator: pdfGenerate, args: { targetField: 'pdf', ...args } }, records)).out.map(
            record => readPdf(field(record, 'pdf')).text,
        );

    it('fills in nested fields, leaves nothing for missing ones, and takes data literally', async () => {
        const [text] = await pdfs({ template: 'To ${customer.name}, ${missing}no. ${lines.0.no}: ${note}.' }, [
            { customer: { name: 'Müller' }, lines: [{ no: 3 }], note: '${customer}' },
        ]);
        expect(text).toBe('To Müller, no. 3: ${customer}.');
    });

    it('turns block and line-break tags into lines, strips the others and decodes entities', async () => {
        const html =
            '<h1 class="x">Invoice</h1>\n<p>Dear&nbsp;Ms &lt;A&gt;,<br/>thanks for <b>5&nbsp;&euro;</b>.</p>\n\n<ul><li>one</li>\n<li>two</li></ul><script>alert(1)</script>';
        const [text] = await pdfs({ template: '${html}' }, [{ html }]);
        expect(text!.split('\n')).toEqual(['Invoice', 'Dear Ms <A>,', 'thanks for 5 \x80.', 'one', 'two']);
    });

    it('keeps the lines of plain text over several pages', async () => {
        const { out } = await runBatch({ operator: pdfGenerate, args: { template: '${text}', targetField: 'pdf' } }, [
            { text: 'one\n\n    two\n'.repeat(60) },
        ]);
        const { text, pages } = readPdf(field(out[0], 'pdf'));
        expect(text.split('\n').slice(0, 2)).toEqual(['one', '    two']);
        expect(pages).toBeGreaterThan(3);
    });

    it('uses the template of the record, and the static one only if the field is missing', async () => {
        const { out, warned, log } = await runBatch(
            { operator: pdfGenerate, args: { template: 'static', templateField: 'own.text', targetField: 'pdf' } },
            [{ own: { text: 'own' } }, { own: {} }, { own: { text: null } }, { own: { text: '' } }],
        );
        expect(out.map(({ data }) => 'pdf' in data)).toEqual([true, true, false, true]);
        expect(out.slice(0, 2).map(record => readPdf(field(record, 'pdf')).text)).toEqual(['own', 'static']);
        expect(warned).toMatchObject([
            {
                record: { origin: { seq: 2 } },
                error: {
                    code: 'RECORD_INVALID',
                    facts: { path: 'own.text' },
                    message: expect.stringMatching(naming('null')),
                },
            },
        ]);
        expect(log).toEqual([]);
    });

    it('keeps a record that cannot be rendered, without the target, and warns about it', async () => {
        const templates: readonly JsonObject[] = [
            { t: '${a' },
            { t: '${__proto__.x}' },
            { t: '漢' },
            { t: 3 },
            {},
            { t: 'x'.repeat(100_001) },
            { t: 'fine' },
        ];
        const records = templates.map(record => ({ ...record, pdf: 'old' }));
        const { out, rejected, warned } = await runBatch(
            { operator: pdfGenerate, args: { templateField: 't', targetField: 'pdf' } },
            records,
        );
        expect(rejected).toEqual([]);
        expect(out.map(({ data }) => data['pdf'] === undefined)).toEqual([true, true, true, true, true, true, false]);
        expect(warned.map(({ record, error }) => [record.origin.seq, error.code])).toEqual(
            [0, 1, 2, 3, 4, 5].map(seq => [seq, 'RECORD_INVALID']),
        );
        const named = ['"}"', '__proto__', 'U+6F22', 3, '"t"', 100_000];
        expect(warned.map(({ error }) => error.message)).toEqual(
            named.map(value => expect.stringMatching(naming('"t"', value)) as string),
        );
    });

    it('keeps a record whose target cannot be written', async () => {
        const { out, warned } = await runBatch(
            { operator: pdfGenerate, args: { template: 'a', targetField: 'sku.pdf' } },
            [{ sku: 'A' }],
        );
        expect(out.map(({ data }) => data)).toEqual([{ sku: 'A' }]);
        expect(warned).toHaveLength(1);
    });

    it('needs a template from somewhere', () => {
        expect(faultsOf(pdfGenerate.config, { targetField: 'pdf' })).toEqual([issue('template', 'templateField')]);
        expect(faultsOf(pdfGenerate.config, { template: 'a', targetField: 'pdf', pageSize: 'A5' })).toEqual([
            issue('pageSize', '"A5"', '"A4"', '"LETTER"', '"A3"'),
        ]);
    });
});
