import { dateDiff } from '../src/core/operators/date/date-diff';
import { each } from '../src/core/operators/logic/each';
import { adapterPage } from './reference-pages';

describe('a reference page', () => {
    it('of dateDiff says above all else how long a month and a year are', () => {
        const [first] = adapterPage(dateDiff).split('# dateDiff\n\n')[1]!.split('\n');
        expect(first).toMatch(/30\.44 days .*365\.25/);
    });

    it('says which fields of an operator hold others', () => {
        const row = adapterPage(each)
            .split('\n')
            .find(line => line.startsWith('| `operators` |'));
        expect(row!.split('|')[2]).toMatch(/operators/);
    });
});
