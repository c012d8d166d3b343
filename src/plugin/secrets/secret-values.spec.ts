import { FlowSecret } from '../entities/secret';
import { readSecret, type SecretRules } from './secret-values';
import { revealInProcess } from '../../core/adapter/secret';

const VARIABLES = { FLOW_SPEC_ERP: 'erp', FLOW_SPEC_DATABASE: 'database' };
beforeAll(() => void Object.assign(process.env, VARIABLES));
afterAll(() => {
    for (const name of Object.keys(VARIABLES)) delete process.env[name];
});

const named = (value: string, more: Partial<FlowSecret> = {}): FlowSecret =>
    Object.assign(new FlowSecret(), { code: 'key', provider: 'ENV', value, channelId: 1, enabled: true, ...more });
const rules = (...variables: string[]): SecretRules => ({ values: () => undefined, variables });
const read = (secret: FlowSecret, by: SecretRules): unknown => {
    try {
        return revealInProcess(readSecret(secret, by));
    } catch (error) {
        return (error as { code?: unknown }).code;
    }
};

describe('a secret that names a variable of the environment', () => {
    it('may name any variable if the options do not restrict them', () => {
        expect(read(named('FLOW_SPEC_DATABASE'), { values: () => undefined, variables: undefined })).toBe('database');
    });

    it('may name those that the shop says, by their names or how they begin', () => {
        expect(read(named('FLOW_SPEC_ERP'), rules('OTHER', 'FLOW_SPEC_ERP'))).toBe('erp');
        expect(read(named('FLOW_SPEC_ERP'), rules('FLOW_SPEC_E*'))).toBe('erp');
        for (const allowed of [[], ['FLOW_SPEC'], ['FLOW_SPEC_ERP', 'ERP_*']])
            expect(read(named('FLOW_SPEC_DATABASE'), rules(...allowed))).toBe('SECRET_UNREADABLE');
    });

    it("may name any where it is of the shop's code", () => {
        expect(read(named('FLOW_SPEC_DATABASE', { codeFirst: true }), rules())).toBe('database');
    });
});
