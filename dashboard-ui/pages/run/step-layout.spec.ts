import { layOut } from './step-layout';

describe('the picture of a run', () => {
    it('has each step after all steps that lead to it', () => {
        const { places, edges } = layOut([
            { stepKey: 'start', next: ['csv', 'api'] },
            { stepKey: 'csv', next: ['shape'] },
            { stepKey: 'api', next: ['load'] },
            { stepKey: 'shape', next: ['load'] },
            { stepKey: 'load', next: [] },
        ]);
        expect(places).toEqual([
            { stepKey: 'start', column: 0, row: 0 },
            { stepKey: 'csv', column: 1, row: 0 },
            { stepKey: 'api', column: 1, row: 1 },
            { stepKey: 'shape', column: 2, row: 0 },
            { stepKey: 'load', column: 3, row: 0 },
        ]);
        expect(edges).toHaveLength(5);
    });

    it('leaves out lines to steps that are not there', () => {
        expect(layOut([{ stepKey: 'a', next: ['gone'] }]).edges).toEqual([]);
    });
});
