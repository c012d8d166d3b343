import { Bounds, DEFAULT_LIMITS, type RecordLimits, SizeCounter } from '../adapter/bounds';
import type { CompileEnv, OperatorEnv } from '../adapter/operator';
import type { Registry } from '../adapter/registry';
import type { OperatorCall } from '../schema/operator-calls';
import type { CompiledRecordOperator } from './fused-operators';
import type { CalledOperators, OffloadedOperators } from './offloaded-operators';
import { innerOperators } from './inner-operators';
import { ReadPaths } from './read-paths';
import type { CompiledOperator } from './transform';
import { runAtOnce, type YieldingTask } from '../concurrency/yielding-task';
import { compiledBy, invalidConfig, notCompiled, parseConfig } from './parse-config';

/** The dependencies for compiling operators, and the place of their calls. */
interface OperatorsKit {
    readonly registry: Registry;
    readonly env: CompileEnv;
    /** Leads the messages. */
    readonly place: string;
    /** Those of the plugin's options. */
    readonly limits?: RecordLimits | undefined;
    /** Where those work that can work in another process. */
    readonly elsewhere?: OffloadedOperators | undefined;
    /** The tally of the operator that runs these; without it they have a separate one. */
    readonly tally?: SizeCounter | undefined;
    /** Of the operator that works with these on the elements of a list: what it reads, and where. */
    readonly within?: { readonly reads: ReadPaths[]; readonly list: string | undefined } | undefined;
}

/** The operators of a step in their order. Throws DEFINITION_INVALID or ADAPTER_NOT_FOUND. */
export function compileOperators(calls: readonly OperatorCall[], kit: OperatorsKit): readonly CompiledOperator[] {
    return runAtOnce(compilingOperators(calls, kit));
}

/** As `compileOperators`. */
export function* compilingOperators(
    calls: readonly OperatorCall[],
    kit: OperatorsKit,
): YieldingTask<readonly CompiledOperator[]> {
    const partOf = partNames();
    const { tally: sizeCounter = new SizeCounter() } = kit;
    const compiled: CompiledOperator[] = [];
    for (const [index, call] of calls.entries()) {
        if (call.disabled === true) {
            leaveOut(call, kit.registry, partOf);
            continue;
        }
        compiled.push(compiledOperator(call, index, { ...kit, partOf, tally: sizeCounter }));
        yield;
    }
    return compiled;
}

/** What the others remember stays under their names, whether this one works or not. */
function leaveOut({ op }: OperatorCall, registry: Registry, partOf: (code: string) => string): void {
    const operator = registry.get('operator', op);
    if (operator.form === 'batch') partOf(operator.code);
}

function compiledOperator(
    call: OperatorCall,
    index: number,
    kit: OperatorsKit & { readonly partOf: (code: string) => string; readonly tally: SizeCounter },
): CompiledOperator {
    const { limits, elsewhere, tally, within } = kit;
    const { runId, stepKey, clock } = kit.env;
    const env = { runId, stepKey, startedAt: clock.now() };
    const operator = kit.registry.get('operator', call.op);
    const place = `${kit.place}.${index}.args`;
    const args = parseConfig(place, operator.config, call.args);
    const named = { op: call.op, position: index + 1 };
    const own = { place, what: `the operator "${call.op}"` };
    const away = elsewhere?.takes(call) ? elsewhere : undefined;
    const reads = within?.reads ?? [];
    const known = new ReadPaths(
        operator.code,
        compiledBy(own, () => operator.reads?.(args) ?? []),
        within?.list,
    );
    reads.push(known);
    if (operator.form === 'record') {
        const inner = { reads, list: known.all[0]?.fullPath };
        const bounds = new Bounds(call.op, limits, tally);
        return {
            ...named,
            form: 'record',
            tally,
            reads: within ? [known] : reads,
            ...(away && { away: { call, env, limits, elsewhere: away } }),
            fn: compiledBy(own, () => operator.compile(args, operatorEnv({ ...kit, place, bounds, within: inner }))),
        };
    }
    const alone: CalledOperators = { calls: [{ call, position: named.position }], env, limits };
    return {
        ...named,
        form: 'batch',
        reads,
        part: kit.partOf(operator.code),
        limits: limits ?? DEFAULT_LIMITS,
        open: async cx => {
            if (away) return away.batch(alone);
            try {
                return await operator.open(args, cx);
            } catch (thrown) {
                throw notCompiled(own, thrown);
            }
        },
    };
}

/** The arguments for compiling a record operator. Its inner operators are compiled with the same arguments. */
export function operatorEnv({ bounds, ...kit }: OperatorsKit & { readonly bounds: Bounds }): OperatorEnv {
    // An operator that works with others says itself how many parts it may get.
    const inner = {
        ...kit,
        elsewhere: undefined,
        limits: { ...bounds.limits, maxPieces: Infinity },
        tally: bounds.tally,
    };
    return { ...kit.env, bounds, inner: calls => innerOperators(recordOperators(calls, inner)) };
}

function recordOperators(calls: readonly OperatorCall[], kit: OperatorsKit): readonly CompiledRecordOperator[] {
    return compileOperators(calls, kit).map(operator => {
        if (operator.form === 'record') return operator;
        const message = `${kit.place} has the operator "${operator.op}", which works on whole batches; allowed: operators that work on one record at a time`;
        throw invalidConfig([{ path: kit.place, message }]);
    });
}

/** Returns the name under which each of a step's operators or rules stores its memos: its code, with a number if the code is repeated. */
export function partNames(): (code: string) => string {
    const seen = new Map<string, number>();
    return code => {
        const number = (seen.get(code) ?? 0) + 1;
        seen.set(code, number);
        return number === 1 ? code : `${code} ${number}`;
    };
}
