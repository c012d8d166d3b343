import { z } from 'zod';
import { INLINE_ENGINE } from '../adapter/inline-script';
import type { Registry } from '../adapter/registry';
import { isJsonObject, type JsonObject, type JsonValue } from '../value/json';
import { show } from '../value/show';
import type { Work } from '../work/work';
import { EXECUTABLE_HOOKS, HOOK_TYPES, type Hooks } from './hook-definition';
import { HOOK_STAGES } from '../adapter/hook-stages';
import { type Issues, pathTo } from './issues';
import { EXECUTABLE_KINDS } from '../steps/kinds';
import type { CheckKit } from './step-config';
import { isSmallEnough } from './value-count';

/** A stage has at most so many: each of them is called for every batch. */
export const MAX_HOOKS = 20;

const hooksFrame = z.strictObject(
    Object.fromEntries(HOOK_STAGES.map(stage => [stage, z.array(z.unknown()).max(MAX_HOOKS).optional()])),
);

/** Checks `hooks`, and answers them as they were written. */
export function* checkHooks(input: JsonValue | undefined, kit: CheckKit): Work<Hooks> {
    if (input === undefined) return {};
    const { issues } = kit;
    issues.frame(hooksFrame, input, { path: 'hooks' });
    const check = new HookCheck(kit);
    const stages = isJsonObject(input) ? Object.entries(input).filter(([stage]) => isStage(stage)) : [];
    for (const [stage, list] of stages) {
        const path = pathTo('hooks', stage);
        if (!Array.isArray(list) || list.length === 0) continue;
        const kind = missingKind(stage);
        if (kind !== undefined) {
            const available = HOOK_STAGES.filter(known => missingKind(known) === undefined).join(', ');
            const message = `${path} is a stage of ${kind} steps, which are not available yet; available: ${available}`;
            issues.add({ code: 'STEP_KIND_UNSUPPORTED', path, message });
            continue;
        }
        for (const [index, hook] of (list as readonly JsonValue[]).slice(0, MAX_HOOKS).entries()) {
            yield* check.hook(hook, pathTo(path, index));
            yield;
        }
    }
    // Whatever is no hook has been reported.
    return Object.fromEntries(stages) as Hooks;
}

class HookCheck {
    private readonly registry: Registry;
    private readonly issues: Issues;

    constructor(private readonly kit: CheckKit) {
        this.registry = kit.registry;
        this.issues = kit.issues;
    }

    *hook(hook: JsonValue, path: string): Work<void> {
        if (!isJsonObject(hook)) {
            this.issues.add({ code: 'VALUE_INVALID', path, message: `${path} is ${show(hook)}; allowed: an object` });
            return;
        }
        const schema = this.schema(hook.type, pathTo(path, 'type'));
        if (!schema || !(yield* isSmallEnough(hook, { path }, this.kit))) return;
        this.issues.frame(schema, hook, { path });
        if (hook.type === 'SCRIPT') this.script(hook, path);
        if (hook.type === 'INTERCEPTOR') this.code(hook, pathTo(path, 'code'));
    }

    private schema(type: JsonValue | undefined, path: string): z.ZodObject | undefined {
        if (typeof type !== 'string' || !(HOOK_TYPES as readonly string[]).includes(type)) {
            const stated = type === undefined ? 'missing' : show(type);
            this.issues.add({
                code: 'VALUE_INVALID',
                path,
                message: `${path} is ${stated}; known: ${HOOK_TYPES.join(', ')}`,
            });
            return undefined;
        }
        const schema = Object.entries(EXECUTABLE_HOOKS).find(([known]) => known === type)?.[1];
        if (schema) return schema;
        const available = Object.keys(EXECUTABLE_HOOKS).join(', ');
        const message = `${path} is ${show(type)}; hooks of this type are not available yet, available: ${available}`;
        this.issues.add({ code: 'STEP_KIND_UNSUPPORTED', path, message });
        return undefined;
    }

    private code({ code }: JsonObject, path: string): void {
        const engine = this.registry.find('engine', INLINE_ENGINE);
        const problem = !engine
            ? 'is refused: the plugin option security.inlineScripts is false'
            : typeof code === 'string'
              ? engine.syntaxProblem(code, 'batch')
              : undefined;
        if (problem !== undefined) this.issues.add({ code: 'VALUE_INVALID', path, message: `${path} ${problem}` });
    }

    private script({ scriptName }: JsonObject, hookPath: string): void {
        if (typeof scriptName !== 'string' || scriptName === '' || this.registry.find('script', scriptName)) return;
        const path = pathTo(hookPath, 'scriptName');
        const known =
            this.registry.list('script').length > 0
                ? this.registry.hint('script', scriptName.slice(0, 64))
                : 'The plugin option scripts has none.';
        this.issues.add({
            code: 'SCRIPT_NOT_FOUND',
            path,
            message: `${path} is ${show(scriptName)}, and no script has this name. ${known}`,
        });
    }
}

/** The kind of steps that a stage belongs to, where it cannot run yet: nobody would ever call the hook. */
function missingKind(stage: string): string | undefined {
    const kind = stage === 'RUN_PAUSED' ? 'GATE' : /^(?:BEFORE|AFTER)_(.+)$/.exec(stage)?.[1];
    return kind === undefined || (EXECUTABLE_KINDS as readonly string[]).includes(kind) ? undefined : kind;
}

function isStage(stage: string): boolean {
    return (HOOK_STAGES as readonly string[]).includes(stage);
}
