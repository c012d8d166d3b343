import { type PdfPaper, renderPdf } from './pdf';
import { readPdf } from '../../../test/kit/read-pdf';

// Encoders on a machine that has other work too.
jest.setTimeout(60_000);

// What lays out is to be had in the worker's thread alone.
jest.mock('pdfkit', () => {
    throw new Error('this thread lays nothing out');
});

const A4: PdfPaper = { pageSize: 'A4', orientation: 'PORTRAIT' };

async function rendered(text: string, paper: Partial<PdfPaper> = {}): Promise<Buffer> {
    const answer = await renderPdf(text, { ...A4, ...paper });
    if ('problem' in answer) throw new Error(answer.problem);
    return answer.pdf;
}

const problem = async (text: string): Promise<string | undefined> => {
    const answer = await renderPdf(text, A4);
    return 'problem' in answer ? answer.problem : undefined;
};

describe('laying text out as a PDF', () => {
    it.each([
        ['A4', 'PORTRAIT', '0 0 595.28 841.89'],
        ['A4', 'LANDSCAPE', '0 0 841.89 595.28'],
        ['LETTER', 'PORTRAIT', '0 0 612 792'],
        ['A3', 'PORTRAIT', '0 0 841.89 1190.55'],
    ] as const)('%s %s', async (pageSize, orientation, box) => {
        const { box: found, text, pages } = readPdf(await rendered('Größe: 5 €', { pageSize, orientation }));
        expect([found, pages]).toEqual([box, 1]);
        expect(text).toBe(Buffer.from('Größe: 5 \x80', 'latin1').toString('latin1'));
    });

    it('begins lines where the text does and pages where one is full, and loses nothing', async () => {
        const lines = Array.from({ length: 200 }, (_, i) => `line ${i}`);
        const { text, pages } = readPdf(await rendered(lines.join('\n')));
        expect(text.split('\n')).toEqual(lines);
        expect(pages).toBe(5);
    });

    it('breaks long lines after words, and a word that is longer than a line anywhere', async () => {
        const words = Array.from({ length: 200 }, (_, i) => `word${i}`).join(' ');
        const { text } = readPdf(await rendered(`${words}\n${'x'.repeat(500)}`));
        expect(text.split('\n').length).toBeGreaterThan(10);
        expect(text.replaceAll('\n', ' ')).toContain(words);
        expect(text.replaceAll('\n', '')).toContain('x'.repeat(500));
    });

    it('gives the same bytes for the same text, and does not contain the time of its creation', async () => {
        const [one, two, other] = await Promise.all([rendered('Ä same'), rendered('Ä same'), rendered('other')]);
        expect(one!.equals(two!)).toBe(true);
        const id = (bytes: Buffer): string | undefined => /\/ID \[.*\]/.exec(readPdf(bytes).raw)?.[0];
        expect(id(one!)).toBeDefined();
        expect(id(other!)).not.toBe(id(one!));
        expect(readPdf(one!).raw).not.toMatch(/CreationDate|Digest/);
    });

    it('embeds a font for letters that the built-in one lacks, accents made of two characters too', async () => {
        const bytes = await rendered('Čapek Ελλάδα Привет C\u030c');
        const { raw, streams } = readPdf(bytes);
        expect(raw).toContain('DejaVuSans');
        for (const letter of 'ČΕП') {
            expect(
                streams.some(stream => stream.includes(`<${letter.codePointAt(0)!.toString(16).padStart(4, '0')}>`)),
            ).toBe(true);
        }
        expect((await rendered('Čapek Ελλάδα Привет C\u030c')).equals(bytes)).toBe(true);
    });

    it('names the first character that it cannot show', async () => {
        expect(await problem('ok 漢字')).toMatch(/"漢" \(U\+6F22\).*; allowed: Latin/);
        expect(await problem('שלום')).toContain('"ש" (U+05E9)');
    });

    it('lays out what is hard to break in bounded time', async () => {
        for (const text of ['x'.repeat(100_000), ' '.repeat(100_000), '- '.repeat(50_000)])
            expect(readPdf(await rendered(text)).pages).toBeGreaterThan(0);
        expect(await problem('x'.repeat(100_001))).toMatch(/ 100001 characters.* 100000 /);
    });

    it('leaves the thread of the process alone meanwhile', async () => {
        expect(() => jest.requireMock<object>('pdfkit')).toThrow('this thread lays nothing out');
        expect(readPdf(await rendered('The quick brown fox. '.repeat(4000))).pages).toBeGreaterThan(10);
    });
});
