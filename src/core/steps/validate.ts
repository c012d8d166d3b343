import type { AdapterContext } from '../adapter/context';
import { logEvent } from '../adapter/log-event';
import type { BatchRuleFn, RuleContext, RuleFn, RuleProblem, Severity } from '../adapter/rule';
import type { Batch, FlowRecord } from '../data/record';
import { FlowError, flowError, isFlowError } from '../errors/flow-error';
import { recordInvalid } from '../errors/record-invalid';
import { phrase } from '../log/log-events';
import type { ValidateMode } from './validate-config';
import type { StateEntry } from '../progress/state-entries';
import type { RecordIssue } from '../ports/ports';
import { PartState } from './part-state';
import { rejecter, type Step, type StepEnv, type StepResult, type Invocation } from './step';
import { clause } from '../errors/rendered';
import { WordedError } from '../errors/worded-error';

interface RuleFrame {
    readonly type: string;
    readonly severity: Severity;
    /** The user's own message. */
    readonly error: string | undefined;
}

interface CompiledRecordRule extends RuleFrame {
    readonly form: 'record';
    readonly check: RuleFn;
}

interface CompiledBatchRule extends RuleFrame {
    readonly form: 'batch';
    /** The name under which it remembers. */
    readonly part: string;
    open(cx: AdapterContext): BatchRuleFn | Promise<BatchRuleFn>;
}

/** A rule of a VALIDATE step, ready to be opened. */
export type CompiledRule = CompiledRecordRule | CompiledBatchRule;

type OpenRule = CompiledRecordRule | (CompiledBatchRule & { readonly check: BatchRuleFn });

/** The validation that a VALIDATE step applies to its records. */
export interface Validation {
    readonly mode: ValidateMode;
    readonly rules: readonly CompiledRule[];
}

/** Passes valid records on and rejects the others. */
export function validateStep(key: string, { mode, rules }: Validation): Step {
    return {
        key,
        touches: 'nothing',
        remembers: rules.some(({ form }) => form === 'batch'),
        open: async env => {
            const open = await Promise.all(rules.map(rule => opened(rule, env.adapter)));
            return (batch, visit) => new Validating(batch, { stepKey: key, visit, env, mode }).run(open);
        },
    };
}

async function opened(rule: CompiledRule, cx: AdapterContext): Promise<OpenRule> {
    return rule.form === 'record' ? rule : { ...rule, check: await rule.open(cx) };
}

interface ValidatingEnv {
    readonly stepKey: string;
    readonly visit: Invocation;
    readonly env: StepEnv;
    readonly mode: ValidateMode;
}

/** The result of a rule: a problem that it names, or an unexpected exception. */
type Finding = RuleProblem | { readonly path: string; readonly failure: string };

/** An issue with the error that it would be on its own; undefined if the user's own message or a failed rule says what is wrong. */
interface FoundIssue extends RecordIssue {
    readonly error: FlowError | undefined;
}

/** The validation of one batch. */
class Validating {
    /** By the index of the record; undefined if it has no issues. */
    private readonly issues: Array<FoundIssue[] | undefined>;
    private readonly memos: StateEntry[] = [];

    constructor(
        private readonly batch: Batch,
        private readonly at: ValidatingEnv,
    ) {
        this.issues = new Array<undefined>(batch.length);
    }

    async run(rules: readonly OpenRule[]): Promise<StepResult> {
        for (const rule of rules) {
            if (rule.form === 'record') await this.checkEach(rule);
            else await this.checkBatch(rule);
        }
        return this.result();
    }

    private async checkEach(rule: CompiledRecordRule): Promise<void> {
        const { pace } = this.at.env;
        for (const [index, { data }] of this.batch.entries()) {
            // Checked at each record, because linear patterns also take time.
            if (pace.isDue) await pace.turn();
            if (this.isDone(index)) continue;
            try {
                this.find(index, rule, rule.check(data));
            } catch (thrown) {
                this.find(index, rule, failure(thrown));
            }
        }
    }

    /**
     * Batch rules see every record, including failed ones: which of two is the first with a value must not depend on
     * the mode, nor on where the batches end.
     */
    private async checkBatch(rule: CompiledBatchRule & { readonly check: BatchRuleFn }): Promise<void> {
        const {
            batch,
            at: { env, stepKey, visit },
        } = this;
        const memory = new PartState({ stepKey, visit, env, part: rule.part, outlivesFailure: true });
        try {
            const problems = await rule.check(batch, this.context(memory));
            if (!Array.isArray(problems) || problems.length !== batch.length)
                throw new WordedError(clause`it did not return a list of ${batch.length} elements`);
            problems.forEach((problem: RuleProblem | undefined, index) => this.find(index, rule, problem));
        } catch (thrown) {
            if (env.adapter.signal.aborted || (isFlowError(thrown) && thrown.treat !== 'record')) throw thrown;
            for (const index of batch.keys()) this.find(index, rule, failure(thrown));
        }
        this.memos.push(...memory.memos);
        env.memory.left(rule.part, visit);
    }

    private context(state: PartState): RuleContext {
        const {
            env: { adapter, pace, run },
            stepKey,
            visit,
        } = this.at;
        return {
            ...adapter,
            recall: (keys, scope) => state.recall(keys, scope),
            remember: (record, key, value) => state.remember(record, key, value),
            turn: async () => {
                if (pace.isDue) await pace.turn();
            },
            place: {
                runId: run.runId,
                stepKey,
                sourceKey: visit.sourceKey,
                batchNo: visit.batchNo,
                visit: visit.number,
            },
            earlier: visit.earlier,
        };
    }

    /** FAIL_FAST: one ERROR ends the checks of its record. */
    private isDone(index: number): boolean {
        return this.at.mode === 'FAIL_FAST' && this.isRejected(index);
    }

    private isRejected(index: number): boolean {
        return this.issues[index]?.some(({ severity }) => severity === 'ERROR') === true;
    }

    private find(index: number, { type: rule, severity, error }: RuleFrame, finding: Finding | undefined): void {
        if (finding === undefined || this.isDone(index)) return;
        const { path } = finding;
        const message = 'failure' in finding ? finding.failure : (error ?? `Field "${path}": ${finding.problem}`);
        const own = 'failure' in finding || error !== undefined ? undefined : recordInvalid(path, finding);
        const issue: FoundIssue = { path, rule, message, severity, error: own };
        const known = this.issues[index];
        if (known) known.push(issue);
        else this.issues[index] = [issue];
    }

    private result(): StepResult {
        const {
            batch,
            memos: stateEntries,
            at: { stepKey, visit, mode },
        } = this;
        const refuse = rejecter(stepKey, batch, visit);
        const rejectOf = (index: number): StepResult['rejects'][number] => {
            const issues = this.issues[index]!;
            const errors = issues.filter(({ severity }) => severity === 'ERROR');
            const [{ path, error: own }] = errors as [FoundIssue];
            const { code, message } = flowError('VALIDATION_FAILED', { summary: summaryOf(errors) });
            const error = new FlowError(code, message, {
                ...(path !== '' && { details: { path } }),
                ...(errors.length === 1 && own?.facts && { facts: { ...own.facts, summary: FIELD_PROBLEM } }),
            });
            return { ...refuse(index, error), faults: issues.map(({ error: _own, ...issue }) => issue) };
        };
        const rejected = [...batch.keys()].filter(index => this.isRejected(index));
        const first = rejected[0];
        if (mode === 'ABORT' && first !== undefined) {
            this.warn(first);
            const reject = rejectOf(first);
            const rule = this.issues[first]!.find(({ severity }) => severity === 'ERROR')!.rule;
            const facts = {
                seq: reject.seq + 1,
                source: visit.sourceKey,
                step: stepKey,
                summary: reject.message,
                rule,
            };
            return {
                out: [],
                counts: { rejected: 1 },
                rejects: [reject],
                failed: [batch[first]!.origin],
                abort: flowError('VALIDATION_ABORTED', facts),
            };
        }
        this.warn(batch.length);
        const out = rejected.length === 0 ? batch : batch.filter((_, index) => !this.isRejected(index));
        return {
            out,
            counts: { rejected: rejected.length },
            rejects: rejected.map(rejectOf),
            failed: rejected.map(index => batch[index]!.origin),
            memos: stateEntries,
        };
    }

    /**
     * Warnings for the records before this one. The journal treats those of one rule as equal, and keeps a sample of
     * them.
     */
    private warn(before: number): void {
        const {
            adapter: { log },
        } = this.at.env;
        this.batch.slice(0, before).forEach(({ origin: { seq } }: FlowRecord, index) => {
            for (const { severity, rule, path, message, error } of this.issues[index] ?? []) {
                if (severity !== 'WARNING') continue;
                const source = this.at.visit.sourceKey;
                const problem = error ?? message;
                logEvent(log, 'RULE_WARNING', { record: seq + 1, source, problem, by: rule, path, seq });
            }
        });
    }
}

/** A custom rule may throw anything; a text that exceeds the limit of a pattern is an error of the record. */
function failure(thrown: unknown): Finding {
    const message = thrown instanceof Error ? thrown.message : String(thrown);
    const path = isFlowError(thrown) ? thrown.details?.['path'] : undefined;
    return typeof path === 'string'
        ? { path, failure: message.replace(/\.$/, '') }
        : { path: '', failure: `The rule failed: ${message}` };
}

const TOLD = 5;
const FIELD_PROBLEM = phrase('FIELD_PROBLEM');

/** All errors are stored next to the message, which lists the first few. */
function summaryOf(issues: readonly RecordIssue[]): string {
    const told = issues
        .slice(0, TOLD)
        .map(({ message }) => message)
        .join('; ');
    const more = issues.length > TOLD ? `; and ${issues.length - TOLD} more` : '';
    return issues.length === 1 ? told : `${issues.length} errors: ${told}${more}`;
}
