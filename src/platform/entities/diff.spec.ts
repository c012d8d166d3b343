import { Diff } from './diff';
import { Columns, Members } from './columns';

describe('the difference that a record makes', () => {
    it('holds the differing fields only', () => {
        const columns = new Columns({ name: 'Old', enabled: true, 'customFields.tags': ['a'] });
        const diff = new Diff();
        diff.set(columns, 'enabled', { path: 'enabled', value: true });
        diff.set(columns, 'customFields.tags', { path: 'customFields.tags', value: ['a'] });
        diff.set(columns, 'name', { path: 'name', value: 'New' });
        expect(diff.change('k', false)).toEqual({
            action: 'update',
            key: 'k',
            before: { name: 'Old' },
            after: { name: 'New' },
        });
        expect([...columns.changed]).toEqual(['name']);
    });

    it('is empty when everything is unchanged', () => {
        const diff = new Diff();
        expect(diff.set(new Columns({ a: null }), 'a', { path: 'a', value: null })).toBe(false);
        expect(diff.change('k', false)).toEqual({ action: 'unchanged', key: 'k' });
    });

    it('is a creation for what did not exist, however little it holds', () => {
        expect(new Diff().change('k', true)).toEqual({ action: 'create', key: 'k', after: {} });
    });
});

describe('the members of a relation', () => {
    it('say what to write and what to remove', () => {
        const members = new Members([1, 2, 3]);
        expect(members.isChanged).toBe(false);
        members.replace([2, 3, 4]);
        expect([members.isChanged, members.added, members.removed]).toEqual([true, [4], [1]]);
    });
});
