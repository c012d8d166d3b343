import type { JsonObject, JsonValue } from '../../core/value/json';
import type { ImageOptions } from '../asset-import/requested-image';
import { FieldReader } from '../entities/read-field';
import { RecordIssues } from '../entities/record-issues';
import { readAssets } from './read-assets';

const OPTIONS: ImageOptions = { pictureMaxBytes: 20, pictureAllowSvg: false, pictureRefresh: 'CHANGED' };
const BASE: ImageOptions = { ...OPTIONS, pictureBaseUrl: 'https://pictures.example/in/' };
const DIGEST = 'b5bb9d8014a0f9b1d61e21e796d78dccdf1352f23cd32812f4850b878ae4944c';

function read(record: JsonObject, options = BASE) {
    const issues = new RecordIssues();
    const names = { assets: 'assets', featuredAsset: 'featuredAsset' };
    const desired = readAssets(new FieldReader(record, issues), names, options);
    return { ...desired, fields: issues.count > 0 ? issues.error().details?.['field'] : undefined };
}
/** What is requested first of a list with one asset, and the field for which it is rejected. */
function one(asset: JsonValue, options = BASE) {
    const { assets, fields } = read({ assets: [asset] }, options);
    const [requested] = assets ?? [];
    if (!requested) return fields;
    return 'picture' in requested ? (requested.picture.url ?? requested.picture.digest) : requested;
}

describe('the assets of a record', () => {
    it('are unchanged if it does not mention them, and removed by null', () => {
        expect(read({ name: 'Lamp' })).toEqual({ assets: undefined, featured: undefined, fields: undefined });
        expect(read({ assets: null, featuredAsset: null })).toEqual({ assets: [], featured: null, fields: undefined });
    });

    it.each<[string, JsonValue, unknown]>([
        ['an address', 'https://a.example/x.png#top', 'https://a.example/x.png'],
        ['a path after the base URL', 'x y.png', 'https://pictures.example/in/x%20y.png'],
        ['an object with an address', { url: '/x.png' }, 'https://pictures.example/x.png'],
        ['bytes as base64', { base64: 'Zm9vCg==' }, DIGEST],
        ['bytes in a data URL', 'data:image/png;base64,Zm9vCg==', DIGEST],
        ['bytes with their digest', { base64: 'Zm9vCg==', sha256: DIGEST.toUpperCase() }, DIGEST],
        ['the id of an existing one', { id: '7' }, { path: 'assets.0.id', id: '7' }],
        ['the name of an existing one', { name: 'Lamp' }, { path: 'assets.0.name', name: 'Lamp' }],
        ['the source of an existing one', { source: 'a/b.png' }, { path: 'assets.0.source', source: 'a/b.png' }],
    ])('may be %s', (_, asset, expected) => {
        expect(one(asset)).toEqual(expected);
    });

    it('are sources of existing ones if texts are not addresses and the step has no base URL', () => {
        expect(one('a/b.png', OPTIONS)).toEqual({ path: 'assets.0', source: 'a/b.png' });
        expect(one('https://a.example/x.png', OPTIONS)).toBe('https://a.example/x.png');
    });

    it.each<[string, JsonValue, string]>([
        ['another protocol', 'file:///etc/passwd', 'assets.0'],
        ['a password in its address', 'https://me:secret@a.example/x.png', 'assets.0'],
        ['a blank text', ' ', 'assets.0'],
        ['a number', 7, 'assets.0'],
        ['nothing that names it', {}, 'assets.0'],
        ['two things that name it', { id: '7', name: 'Lamp' }, 'assets.0'],
        ['an unknown key', { url: 'x.png', alt: 'Lamp' }, 'assets.0.alt'],
        ['too many bytes', { base64: 'A'.repeat(40) }, 'assets.0.base64'],
        ['no bytes', { base64: '' }, 'assets.0.base64'],
        ['the digest of other bytes', { base64: 'Zm9vCg==', sha256: '0'.repeat(64) }, 'assets.0.base64'],
        ['a digest that is too short', { url: 'x.png', sha256: 'abc' }, 'assets.0.sha256'],
        ['a digest without a picture', { id: '7', sha256: DIGEST }, 'assets.0.sha256'],
    ])('are rejected with %s', (_, asset, field) => {
        expect(one(asset)).toBe(field);
    });

    it('are a list, of which the rest is read in spite of an error', () => {
        expect(read({ assets: 'x.png' }).fields).toBe('assets');
        const { assets, featured, fields } = read({ assets: ['x.png', 7, 'y.png'], featuredAsset: 'y.png' });
        expect([assets!.length, fields]).toEqual([2, 'assets.1']);
        expect(featured).toMatchObject({ path: 'featuredAsset' });
    });
});
