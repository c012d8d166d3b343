import type { OutboundHttp } from '../../core/adapter/http';
import { describeOperators } from '../../../test/kit/operator-contract';
import { operators as ofCore } from '../../core/operators';
import { sandbox } from '../../io/sandbox/sandbox';
import { operators } from '../index';

// Images, PDFs and scripts have their engines, which take their time on a machine that is busy.
jest.setTimeout(120_000);

/** A server that has the same for everybody. */
const http: OutboundHttp = {
    scope: 'contract',
    send: async () => ({ status: 200, headers: { 'content-type': 'application/json' }, body: Buffer.from('{}') }),
};

afterAll(() => sandbox.rest());

describeOperators(operators, { http });

it('none shares its code with one of the core', () => {
    const codes: readonly string[] = ofCore.map(({ code }) => code);
    expect(operators.map(({ code }) => code).filter(code => codes.includes(code))).toEqual([]);
});
