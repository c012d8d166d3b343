import { dimensionsOf, detectPicture } from './picture-file';

const PNG = Buffer.from(
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8/5+hHgAHggJ/PchI7wAAAABJRU5ErkJggg==',
    'base64',
);
const permitted = ['image/*', 'video/*', 'audio/*', '.pdf'];
const isTaken = async (head: Buffer | string, declared?: string, allowsSvg = false): Promise<string | undefined> => {
    const found = await detectPicture(Buffer.from(head), { declared, permitted, allowsSvg });
    return 'problem' in found ? undefined : found.mimeType;
};

describe('a file that is to be an asset', () => {
    it.each([
        ['image/png'],
        ['IMAGE/PNG; charset=binary'],
        ['application/octet-stream'],
        ['image/jpeg'],
        [''],
        [undefined],
    ])('has the kind of its first bytes if its server declares %s', async declared => {
        expect(await isTaken(PNG, declared)).toBe('image/png');
    });

    it('may be of a kind that the shop permits by its ending', async () => {
        expect(await isTaken('%PDF-1.7\n', 'application/pdf')).toBe('application/pdf');
    });

    it.each([
        ['a web page', '<!DOCTYPE html><p>Not found', 'image/png'],
        ['a script', '#!/bin/sh\nrm -rf /', 'image/png'],
        ['nothing', '', 'image/png'],
        ['an archive', 'PK\x03\x04\x14\x00\x00\x00\x08\x00', 'image/png'],
        ['a picture that its server calls a web page', PNG, 'text/html'],
        ['an SVG', '<svg xmlns="http://www.w3.org/2000/svg"/>', 'image/svg+xml'],
    ])('is not taken where it is %s', async (_, head, declared) => {
        expect(await isTaken(head, declared)).toBeUndefined();
    });

    it('may be an SVG if that is allowed, even after a declaration and a comment', async () => {
        const svg = '<?xml version="1.0"?>\n<!-- made by hand -->\n<svg xmlns="http://www.w3.org/2000/svg"/>';
        expect(await isTaken(svg, 'image/svg+xml', true)).toBe('image/svg+xml');
        expect(await isTaken('<?xml version="1.0"?><html/>', 'image/svg+xml', true)).toBeUndefined();
        const doctype = '<!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "svg11.dtd">';
        expect(await isTaken(`\uFEFF ${doctype}<!-- > --><SVG >`, undefined, true)).toBe('image/svg+xml');
    });

    it.each(['<!---->', '<!-- -->\n', '<?xml ?>', '<!DOCTYPE svg>', '<!--', '<'])(
        'is scanned only once if "%s" precedes it as often as there is room',
        async text => {
            const many = text.repeat(580);
            expect(await isTaken(`${many}<x/>`, undefined, true)).toBeUndefined();
            expect((await isTaken(`${many}<svg >`, undefined, true)) !== undefined).toBe(/>\s*$/.test(text));
        },
    );

    it('has the size that its header says, and none where it has no header', () => {
        expect(dimensionsOf(PNG)).toEqual({ width: 1, height: 1 });
        expect(dimensionsOf(Buffer.from('no picture'))).toEqual({ width: 0, height: 0 });
    });
});
