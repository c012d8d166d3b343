import { z } from 'zod';
import { INLINE_ENGINE } from '../adapter/inline-script';
import type { Registry } from '../adapter/registry';
import { isJsonObject, type JsonObject, type JsonValue } from '../value/json';
import { show } from '../value/show';
import type { YieldingTask } from '../concurrency/yielding-task';
import { HOOK_SCHEMAS, type Hooks } from './hook-definition';
import { HOOK_STAGES } from '../adapter/hook-stages';
import { factText } from '../errors/rendered';
import { ISSUE_TEXTS, ISSUE_WORDS } from '../schema/issue-texts';
import { issueAt, issueBecause } from '../schema/issues';
import { type Issues, pathTo } from './issues';
import type { CheckKit } from './step-config';
import { isSmallEnough } from './value-count';

/** The maximum number of hooks of a stage: each of them is called for every batch. */
export const MAX_HOOKS = 20;

const hooksFrame = z.strictObject(
    Object.fromEntries(HOOK_STAGES.map(stage => [stage, z.array(z.unknown()).max(MAX_HOOKS).optional()])),
);

/** Checks `hooks`, and returns them as written. */
export function* checkHooks(input: JsonValue | undefined, kit: CheckKit): YieldingTask<Hooks> {
    if (input === undefined) return {};
    const { issues } = kit;
    issues.frame(hooksFrame, input, { path: 'hooks' });
    const check = new HookCheck(kit);
    const stages = isJsonObject(input) ? Object.entries(input).filter(([stage]) => isStage(stage)) : [];
    for (const [stage, list] of stages) {
        const path = pathTo('hooks', stage);
        if (!Array.isArray(list) || list.length === 0) continue;
        for (const [index, hook] of (list as readonly JsonValue[]).slice(0, MAX_HOOKS).entries()) {
            yield* check.hook(hook, pathTo(path, index));
            yield;
        }
    }
    // Anything that is not a hook has been reported.
    return Object.fromEntries(stages) as Hooks;
}

class HookCheck {
    private readonly registry: Registry;
    private readonly issues: Issues;

    constructor(private readonly kit: CheckKit) {
        this.registry = kit.registry;
        this.issues = kit.issues;
    }

    *hook(hook: JsonValue, path: string): YieldingTask<void> {
        if (!isJsonObject(hook)) {
            const facts = { value: show(hook), allowed: ISSUE_WORDS.object };
            return this.issues.add({ code: 'VALUE_INVALID', ...issueAt(path, ISSUE_TEXTS.invalid, facts) });
        }
        const schema = this.schema(hook.type, pathTo(path, 'type'));
        if (!schema || !(yield* isSmallEnough(hook, { path }, this.kit))) return;
        this.issues.frame(schema, hook, { path });
        if (hook.type === 'SCRIPT') this.script(hook, path);
        if (hook.type === 'INTERCEPTOR') this.code(hook, pathTo(path, 'code'));
    }

    private schema(type: JsonValue | undefined, path: string): z.ZodObject | undefined {
        const schema = Object.entries(HOOK_SCHEMAS).find(([known]) => known === type)?.[1];
        if (schema) return schema;
        const known = Object.keys(HOOK_SCHEMAS).join(', ');
        const text =
            type === undefined
                ? issueAt(path, ISSUE_TEXTS.missingKnown, { known })
                : issueAt(path, ISSUE_TEXTS.invalidKnown, { value: show(type), known });
        this.issues.add({ code: 'VALUE_INVALID', ...text });
        return undefined;
    }

    private code({ code }: JsonObject, path: string): void {
        const engine = this.registry.find('engine', INLINE_ENGINE);
        if (!engine)
            return this.issues.add({ code: 'VALUE_INVALID', ...issueAt(path, ISSUE_TEXTS.noInlineScripts, {}) });
        const problem = typeof code === 'string' ? engine.syntaxProblem(code, 'batch') : undefined;
        if (problem !== undefined) this.issues.add({ code: 'VALUE_INVALID', ...issueBecause(path, problem, 'verb') });
    }

    private script({ scriptName }: JsonObject, hookPath: string): void {
        if (typeof scriptName !== 'string' || scriptName === '' || this.registry.find('script', scriptName)) return;
        const path = pathTo(hookPath, 'scriptName');
        const hint =
            this.registry.list('script').length > 0
                ? this.registry.hint('script', scriptName.slice(0, 64))
                : factText(ISSUE_WORDS.noScripts);
        const facts = { value: show(scriptName), hint };
        this.issues.add({ code: 'SCRIPT_NOT_FOUND', ...issueAt(path, ISSUE_TEXTS.noSuchScript, facts) });
    }
}

function isStage(stage: string): boolean {
    return (HOOK_STAGES as readonly string[]).includes(stage);
}
