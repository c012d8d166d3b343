import type { CustomFieldConfig, Injector, RequestContext } from '@vendure/core';
import { naming } from '../../../test/kit/naming';
import { said } from '../../../test/kit/said';
import type { JsonValue } from '../../core/value/json';
import type { Table } from '../../database/table';
import { CustomFields } from './custom-fields';
import { RecordIssues, resolveIssues } from './record-issues';
import { FieldReader } from './read-field';

const table = { fromColumn: (_: string, value: unknown) => value } as unknown as Table;
const place = {
    base: table,
    translation: table,
    ctx: {} as RequestContext,
    injector: {} as Injector,
    isMySql: false,
};

function reading(config: CustomFieldConfig, value: JsonValue) {
    const issues = new RecordIssues();
    const reader = new FieldReader({ customFields: { [config.name]: value } }, issues);
    const values = new CustomFields([config], place).read(reader, 'customFields', { localisedOnly: false });
    return { values, faults: issues, problem: issues.count > 0 ? issues.error().message : undefined };
}

describe('reading custom fields', () => {
    it.each<CustomFieldConfig>([
        { name: 'weight', type: 'int' },
        { name: 'weight', type: 'float' },
        { name: 'fragile', type: 'boolean' },
        { name: 'since', type: 'datetime' },
        { name: 'size', type: 'struct', fields: [] },
        { name: 'maker', type: 'relation', entity: class {} as never },
        { name: 'grade', type: 'string', options: [{ value: 'A' }] },
        { name: 'code', type: 'string', pattern: '^[A-Z]+$' },
        { name: 'tags', type: 'string', list: true },
        { name: 'weights', type: 'int', list: true },
    ])('says of an empty $name of type $type that it is to be left out', config => {
        for (const nothing of ['', '  '])
            expect(reading(config, nothing).problem).toContain(
                said('field-is-empty-leave-it-out', { field: `customFields.${config.name}` }),
            );
    });

    it('takes a time without a zone for UTC, and nothing that means another day elsewhere', () => {
        const read = (value: JsonValue) => reading({ name: 'since', type: 'datetime' }, value);
        expect(read('2026-03-04 10:00').values).toEqual({ since: '2026-03-04T10:00:00.000Z' });
        for (const odd of ['03/04/2026', '2026-02-30', '7']) expect(read(odd).problem).toContain('customFields.since');
    });

    it('takes for an id what a database can take for no other one', () => {
        const idIn = (numbersItself: boolean, value: JsonValue) => {
            const issues = new RecordIssues();
            const base = { ...table, numbersItself } as unknown as Table;
            const config: CustomFieldConfig = { name: 'maker', type: 'relation', entity: class {} as never };
            const reader = new FieldReader({ customFields: { maker: value } }, issues);
            const read = new CustomFields([config], { ...place, base }).read(reader, 'customFields', {
                localisedOnly: false,
            });
            return issues.count > 0 ? 'refused' : read!['maker'];
        };
        expect([7, '7', ' 7 '].map(value => idIn(true, value))).toEqual([7, 7, 7]);
        for (const odd of [1.5, -1, '1e0', '0x1', 'one']) expect(idIn(true, odd)).toBe('refused');
        expect(idIn(false, '0b5f6c5e')).toBe('0b5f6c5e');
    });

    it('names what makes true and false of text', () => {
        const problemOf = (value: JsonValue) => reading({ name: 'fragile', type: 'boolean' }, value).problem;
        expect(problemOf('true')).toMatch(naming('"customFields.fragile"', '"true"', 'parseJson', 'switch'));
        expect(problemOf(true)).toBeUndefined();
    });

    describe("with a shop's own validate function", () => {
        const asking = (validate: (value: unknown) => unknown) =>
            reading({ name: 'ean', type: 'string', validate } as CustomFieldConfig, '12').faults;

        it.each([
            ['at once', (value: unknown) => `${String(value)} is invalid`],
            ['after a while', async (value: unknown) => `${String(value)} is invalid`],
            ['in several languages', async () => [{ languageCode: 'de', value: '12 is invalid' }]],
        ])('say what it says %s, once they are settled', async (_, validate) => {
            const issues = asking(validate);
            expect(() => issues.isSound).toThrow(expect.objectContaining({ code: 'BUG' }));
            await resolveIssues([issues].map(one => ({ faults: one })));
            expect(issues.isSound).toBe(false);
            expect(issues.error().details).toMatchObject({
                field: 'customFields.ean',
                faults: [{ problem: '12 is invalid', value: '12' }],
            });
        });

        it('ask it of nothing that is wrong already, or empty', async () => {
            const requested: unknown[] = [];
            const config = { name: 'ean', type: 'string', validate: (value: unknown) => void requested.push(value) };
            const all = [7, null, 'x'].map(value => ({ faults: reading(config as CustomFieldConfig, value).faults }));
            await resolveIssues(all);
            expect([requested, all.map(({ faults: issues }) => issues.isSound)]).toEqual([['x'], [false, true, true]]);
        });

        it('run for a few records in parallel, and for all of them', async () => {
            let [now, most] = [0, 0];
            const validate = async () => {
                most = Math.max(most, ++now);
                await new Promise(resolve => setImmediate(resolve));
                now--;
            };
            const all = Array.from({ length: 40 }, () => ({ faults: asking(validate) }));
            await resolveIssues(all);
            expect([most, all.every(({ faults: issues }) => issues.isSound)]).toEqual([8, true]);
        });
    });

    it('takes any text for a field of free text', () => {
        for (const type of ['string', 'text', 'localeString', 'localeText'] as const)
            expect(reading({ name: 'note', type }, '  ')).toMatchObject({ values: { note: '  ' }, problem: undefined });
    });
});
