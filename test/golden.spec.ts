import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Outcome } from '../e2e/fixtures/equality-outcome';
import { Golden, lineChanges } from '../e2e/fixtures/golden';
import type { GoldenKey } from '../e2e/fixtures/golden-key';

const KEY: GoldenKey = { vendure: '3.7.3', records: 'r1', shop: 's1', sources: 'c1' };

const sqlite: Outcome = {
    dumps: [
        { product: ['a', 'b', 'b'], tag: [] },
        { product: ['a', 'b', 'c'], tag: [] },
        { product: ['a', 'b', 'c'], tag: ['t'] },
    ],
    index: ['entry'],
    answers: { 'who is there?': ['a', 'b'], 'how many?': ['2'] },
};
const mariadb: Outcome = { ...sqlite, answers: { ...sqlite.answers, 'who is there?': ['a', 'z'] } };

describe('the golden data of equality', () => {
    let folder: string;
    beforeEach(() => {
        folder = mkdtempSync(join(tmpdir(), 'flow-golden-'));
    });
    afterEach(() => rmSync(folder, { recursive: true, force: true }));

    it('returns the kept data of each database', () => {
        new Golden(KEY, folder).keep({ sqlite, mariadb });
        const golden = new Golden(KEY, folder);
        expect(golden.outcome('sqlite')).toEqual(sqlite);
        expect(golden.outcome('mariadb')).toEqual(mariadb);
        expect(golden.kept()).toEqual({ outcomes: { sqlite, mariadb }, isOfToday: true });
    });

    it('fails with the command that makes it when another version of Vendure is installed', () => {
        new Golden(KEY, folder).keep({ sqlite });
        const upgraded = new Golden({ ...KEY, vendure: '3.8.0' }, folder);
        expect(() => upgraded.outcome('sqlite')).toThrow(
            /no e2e\/golden\/catalogue-loads\.vendure-3\.8\.0\.json\.gz.*npm run test:golden$/,
        );
        expect(upgraded.kept()).toEqual({ outcomes: { sqlite }, isOfToday: false });
    });

    it.each(['records', 'shop', 'sources'] as const)('fails with the command when it was made from other %s', part => {
        new Golden(KEY, folder).keep({ sqlite });
        const changed = new Golden({ ...KEY, [part]: 'other' }, folder);
        expect(() => changed.outcome('sqlite')).toThrow(new RegExp(`other ${part} .*npm run test:golden$`));
        expect(changed.kept().isOfToday).toBe(false);
    });

    it('fails with the command on a database that was not available', () => {
        const golden = new Golden(KEY, folder);
        golden.keep({ sqlite });
        expect(() => golden.outcome('postgres')).toThrow(/ postgres\b.*npm run test:golden$/);
    });

    it('replaces the data of another version', () => {
        new Golden(KEY, folder).keep({ sqlite });
        new Golden({ ...KEY, vendure: '3.8.0' }, folder).keep({ sqlite });
        expect(() => new Golden(KEY, folder).outcome('sqlite')).toThrow(
            /no e2e\/golden\/catalogue-loads\.vendure-3\.7\.3\.json\.gz/,
        );
    });

    it('counts two equal lines as two', () => {
        expect(lineChanges(['a', 'a', 'b'], ['a', 'c', 'c'])).toEqual({ gone: ['a', 'b'], come: ['c', 'c'] });
    });
});
