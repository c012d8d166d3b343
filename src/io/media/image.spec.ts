import sharp, { type Metadata, type Sharp } from 'sharp';
import { bytesOfBase64 } from './base64';
import { changeImage, type ImageRequest } from './image';
import { PixelGate } from './pixel-gate';

// Encoders on a machine that has other work too.
jest.setTimeout(60_000);

const red = (width: number, height: number): Sharp =>
    sharp({ create: { width, height, channels: 4, background: { r: 255, g: 0, b: 0, alpha: 0.5 } } });
const base64 = async (image: Sharp): Promise<string> => (await image.toBuffer()).toString('base64');

async function changed(
    text: string,
    order: Partial<ImageRequest>,
): Promise<{ readonly text: string; readonly bytes: Buffer; readonly facts: Metadata }> {
    const answer = await changeImage(text, { quality: 80, ...order });
    if ('problem' in answer) throw new Error(answer.problem);
    const bytes = Buffer.from(answer.image.slice(answer.image.indexOf(',') + 1), 'base64');
    return { text: answer.image, bytes, facts: await sharp(bytes).metadata() };
}

const problem = async (text: string, order: Partial<ImageRequest> = { width: 10 }): Promise<string | undefined> => {
    const answer = await changeImage(text, { quality: 80, ...order });
    return 'problem' in answer ? answer.problem : undefined;
};

describe('changing an image', () => {
    it.each(['jpeg', 'png', 'webp', 'avif', 'gif'] as const)('reads and writes %s', async format => {
        const { text } = await changed(await base64(red(40, 20).png()), { format });
        const { facts } = await changed(text, { width: 10 });
        expect(facts).toMatchObject({ format: format === 'avif' ? 'heif' : format, width: 10, height: 5 });
    });

    it.each([
        ['cover', 10, 10],
        ['contain', 10, 10],
        ['fill', 10, 10],
        ['inside', 10, 5],
        ['outside', 20, 10],
    ] as const)('fits as %s', async (fit, width, height) => {
        const { facts } = await changed(await base64(red(40, 20).png()), { width: 10, height: 10, fit });
        expect(facts).toMatchObject({ width, height });
    });

    it('returns a data URL with the new format for a data URL', async () => {
        const { text } = await changed(`DATA:image/png;base64,${await base64(red(2, 2).png())}`, { format: 'webp' });
        expect(text).toMatch(/^data:image\/webp;base64,UklG/);
    });

    it('applies the orientation and leaves all metadata out', async () => {
        const turned = await base64(
            red(40, 20)
                .jpeg()
                .withExif({ IFD0: { Copyright: 'somebody' } })
                .withMetadata({ orientation: 6 }),
        );
        const { facts } = await changed(turned, { width: 10 });
        expect(facts).toMatchObject({ width: 10, height: 20 });
        expect([facts.orientation, facts.exif, facts.icc]).toEqual([undefined, undefined, undefined]);
    });

    it('puts white where a JPEG cannot be transparent', async () => {
        const clear = sharp({
            create: { width: 4, height: 4, channels: 4, background: { r: 0, g: 0, b: 0, alpha: 0 } },
        });
        const { bytes } = await changed(await base64(clear.png()), { format: 'jpeg' });
        expect([...(await sharp(bytes).raw().toBuffer())].every(level => level > 250)).toBe(true);
    });

    it('keeps a moving picture moving, where the format can', async () => {
        const frames = await Promise.all(
            ['red', 'lime', 'blue'].map(background =>
                sharp({ create: { width: 8, height: 6, channels: 3, background } })
                    .png()
                    .toBuffer(),
            ),
        );
        const moving = await base64(sharp(frames, { join: { animated: true } }).gif({ delay: 100 }));
        expect((await changed(moving, { width: 4, format: 'webp' })).facts).toMatchObject({
            pages: 3,
            width: 4,
            delay: [100, 100, 100],
        });
        expect((await changed(moving, { width: 4, format: 'png' })).facts).toMatchObject({
            format: 'png',
            width: 4,
            height: 3,
        });
    });

    it('makes smaller files with less quality', async () => {
        const noise = await base64(
            sharp({
                create: {
                    width: 64,
                    height: 64,
                    channels: 3,
                    background: 'white',
                    noise: { type: 'gaussian', mean: 128, sigma: 40 },
                },
            }).png(),
        );
        const sizes = await Promise.all(
            [90, 10].map(async quality => (await changed(noise, { format: 'jpeg', quality })).bytes.length),
        );
        expect(sizes[1]!).toBeLessThan(sizes[0]! / 2);
    });
});

describe('what is not an image, or too large', () => {
    it.each([
        ['text', 'hello'],
        ['an address', 'https://example.com/a.png'],
        ['a document', Buffer.from('%PDF-1.7').toString('base64')],
        ['SVG', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>').toString('base64')],
        ['TIFF', Buffer.from('II*\0\0\0\0\0').toString('base64')],
    ])('%s is rejected before it is decoded', async (_, text) =>
        expect(await problem(text)).toMatch(/image; allowed: JPEG, PNG/),
    );

    it('a damaged one is rejected', async () => {
        const bytes = await red(40, 40).png().toBuffer();
        expect(await problem(bytes.subarray(0, 60).toString('base64'))).toMatch(/^cannot.* image \(/);
        const text = bytes.toString('base64');
        expect(await problem(`${text.slice(0, 80)}*${text.slice(81)}`)).toBe('is not base64');
    });

    it('a small file of too many pixels is rejected, before and after', async () => {
        const wide = await base64(
            sharp({ create: { width: 20_000, height: 6_000, channels: 3, background: 'red' } }).png({
                compressionLevel: 9,
            }),
        );
        expect(await problem(wide)).toMatch(/ 120 million pixels.* 100 million/);
        expect(await problem(await base64(red(1, 9000).png()), { width: 10_000 })).toMatch(
            / 900000 million pixels.* 100 million/,
        );
    });

    it('a large file is rejected', async () => {
        const bytes = Buffer.alloc(33 * 1024 * 1024);
        (await red(4, 4).jpeg().toBuffer()).copy(bytes);
        expect(await problem(bytes.toString('base64'))).toContain('32 MB');
    });
});

describe('base64', () => {
    it.each([
        ['AAAA', 3],
        ['AA==', 1],
        ['AA', 1],
        ['AAA=\r\n', 2],
        ['AAAA\r\nAAAA\n', 6],
        ['_-__', 3],
        ['', 0],
    ])('%j is taken', (text, length) => {
        expect(bytesOfBase64(text)).toHaveLength(length);
    });

    it.each(['A', 'AA*A', 'AAAA AAA', 'ÄÄÄÄ', 'AA=A', 'data:,'])('%j is not', text =>
        expect(bytesOfBase64(text)).toBeUndefined(),
    );
});

describe('the pixel gate', () => {
    it('lets a few through at a time, no more pixels than there is room for, in their order', async () => {
        const gate = new PixelGate(2, 10);
        const events: string[] = [];
        const open: Array<() => void> = [];
        const enter = (name: string, pixels: number): Promise<void> =>
            gate.pass(
                pixels,
                () =>
                    new Promise(resolve => {
                        events.push(name);
                        open.push(resolve);
                    }),
            );
        const all = [enter('a', 6), enter('b', 6), enter('c', 1), enter('large', 90)];
        await Promise.resolve();
        expect(events).toEqual(['a']);
        for (const seen of [
            ['a', 'b', 'c'],
            ['a', 'b', 'c'],
            ['a', 'b', 'c', 'large'],
        ]) {
            open.shift()!();
            await new Promise(setImmediate);
            expect(events).toEqual(seen);
        }
        open.shift()!();
        await Promise.all(all);
    });

    it('continues after work that fails', async () => {
        const gate = new PixelGate(1, 10);
        await expect(gate.pass(1, () => Promise.reject(new Error('no')))).rejects.toThrow('no');
        expect(await gate.pass(1, async () => 'next')).toBe('next');
    });
});
