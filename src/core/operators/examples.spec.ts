import { parseWith } from '../schema/issues';
import { DROP, type Operator, type OperatorExample } from '../adapter/operator';
import { systemClock } from '../data/clock';
import { deepFrozen } from '../data/frozen.fixture';
import { operators } from './index';

const all: ReadonlyArray<Operator> = operators;
const rows = all.flatMap(operator => operator.examples.map((example, i) => [operator.code, i + 1, operator, example] as const));

/** What the operator makes of an example: a record, records, 'drop', or the message of the error that it throws. */
function run(operator: Operator, example: OperatorExample<object>): unknown {
    const args = parseWith(operator.config, example.args);
    if (!args.ok) throw new Error(args.issues.map(issue => issue.message).join('; '));
    const before = JSON.stringify(example.in);
    const result = operator.compile(args.value, { clock: systemClock })(deepFrozen(example.in));
    expect(JSON.stringify(example.in)).toBe(before);
    return result === DROP ? 'drop' : result;
}

describe('the examples of the reference are true', () => {
    it.each(rows)('%s, example %i', (_code, _number, operator, example) => {
        if (example.error === undefined) expect(run(operator, example)).toEqual(example.out);
        else expect(() => run(operator, example)).toThrow(expect.objectContaining({ code: 'RECORD_INVALID', message: expect.stringContaining(example.error) }));
    });
});
