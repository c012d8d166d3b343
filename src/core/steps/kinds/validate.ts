import { z } from 'zod';
import { reporting } from '../../adapter/rule';
import { partNames } from '../compile-operators';
import { compiledBy, parseConfig } from '../parse-config';
import { type CompiledRule, validateStep } from '../validate';
import { ruleFrame, validateConfig, validateFrame } from '../validate-config';
import { type CompileJob, defineStepKind } from './step-kind';

/** The step kind VALIDATE: lets only valid records through. */
export const validate = defineStepKind({
    kind: 'VALIDATE',
    summary: 'Accepts valid records and rejects the others.',
    frame: validateFrame,
    adapters: {
        form: 'calls',
        kind: 'rule',
        list: 'rules',
        frame: ruleFrame,
        code: 'type',
        value: 'spec',
        first: ['field'],
    },
    behind: 'records',
    role: {
        as: 'work',
        compile({ key, config }, job) {
            const { errorHandlingMode: mode, rules } = parseConfig(key, validateConfig, config);
            return validateStep(key, { mode, rules: compiledRules(key, rules, job) });
        },
    },
});

/** The fields that every rule has in addition to its own. */
const reported = z.object(reporting());

function compiledRules(
    stepKey: string,
    calls: z.output<typeof validateConfig>['rules'],
    { registry, env }: CompileJob,
): readonly CompiledRule[] {
    const partOf = partNames();
    return calls.map(({ type, spec }, index): CompiledRule => {
        const rule = registry.get('rule', type);
        const place = `${stepKey}.rules.${index}.spec`;
        const parsed = parseConfig(place, rule.config, spec);
        const { error, severity } = reported.parse(parsed);
        const frame = { type: rule.code, severity, error };
        if (rule.form === 'record') {
            const check = compiledBy({ place, what: `the rule "${type}"` }, () => rule.compile(parsed, env));
            return { ...frame, form: 'record', check };
        }
        return { ...frame, form: 'batch', part: partOf(rule.code), open: cx => rule.open(parsed, cx) };
    });
}
