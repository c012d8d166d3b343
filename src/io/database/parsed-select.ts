import { isForbiddenFunction, forbiddenFunction } from './select-guard';
import type { SqlDialect } from './sql-tokens';
import { clause, type FactText } from '../../core/errors/rendered';

/**
 * Why a real parser finds that a query is not one SELECT that reads, as the end of a sentence. Undefined if it is
 * one, and for MySQL's language, which no parser covers completely.
 */
export async function parsedProblem(sql: string, dialect: SqlDialect): Promise<FactText | undefined> {
    if (dialect === 'postgres') return postgresProblem(sql);
    return dialect === 'sqlite' ? sqliteProblem(sql) : undefined;
}

type Node = Readonly<Record<string, unknown>>;

function isNode(value: unknown): value is Node {
    return typeof value === 'object' && value !== null;
}

/** Every part of a syntax tree, itself first. */
function* partsOf(root: unknown): Generator<Node, void, void> {
    const open: unknown[] = [root];
    while (open.length > 0) {
        const node = open.pop();
        if (!isNode(node)) continue;
        yield node;
        for (const part of Object.values(node)) open.push(part);
    }
}

async function postgresProblem(sql: string): Promise<FactText | undefined> {
    const parser = await import('libpg-query');
    await parser.loadModule();
    let tree: { readonly stmts?: readonly unknown[] };
    try {
        tree = parser.parseSync(sql) as typeof tree;
    } catch (error) {
        return clause`it is not a query of PostgreSQL (${error instanceof Error ? error.message : String(error)})`;
    }
    const statements = tree.stmts ?? [];
    if (statements.length !== 1) return clause`it holds ${statements.length} statements; allowed: one`;
    for (const node of partsOf(statements[0])) {
        const statement = Object.keys(node).find(key => key.endsWith('Stmt') && key !== 'SelectStmt');
        if (statement !== undefined)
            return clause`it holds a ${statement.slice(0, -'Stmt'.length).toUpperCase()}, which does more than read`;
        if (node['intoClause'] !== undefined) return clause`it makes a table (SELECT … INTO)`;
        if (node['lockingClause'] !== undefined) return clause`it locks rows (FOR UPDATE or the like)`;
        const called = isNode(node['FuncCall']) ? nameOf(node['FuncCall']) : undefined;
        if (called !== undefined && isForbiddenFunction(called, 'postgres')) return forbiddenFunction(called);
        const taken = attributesOf(node).find(name => isForbiddenFunction(name, 'postgres'));
        if (taken !== undefined)
            return clause`${forbiddenFunction(taken)} (….${taken} calls it; a column of that name is written without its table)`;
    }
    return undefined;
}

/** The functions that a query of PostgreSQL calls, and the names that it calls as attributes where nothing has a column of that name. */
export async function calledFunctions(
    sql: string,
): Promise<{ readonly calls: readonly string[]; readonly attributes: readonly string[] }> {
    const parser = await import('libpg-query');
    await parser.loadModule();
    const parts = [...partsOf(parser.parseSync(sql))];
    const calls = parts.flatMap(({ FuncCall: call }) => (isNode(call) ? (nameOf(call) ?? []) : []));
    return { calls: [...new Set(calls)], attributes: [...new Set(parts.flatMap(attributesOf))] };
}

/** To PostgreSQL `(60::float8).pg_sleep` and `f.pg_sleep` are calls as well, where nothing has a column of that name. */
function attributesOf({ A_Indirection: indirection, ColumnRef: column }: Node): readonly string[] {
    const names = (parts: unknown): readonly string[] => (Array.isArray(parts) ? parts.flatMap(textsOf) : []);
    if (isNode(indirection)) return names(indirection['indirection']);
    const { fields } = isNode(column) ? column : {};
    return Array.isArray(fields) && fields.length > 1 ? names(fields.slice(-1)) : [];
}

function textsOf(part: unknown): readonly string[] {
    const text = isNode(part) && isNode(part['String']) ? part['String']['sval'] : undefined;
    return typeof text === 'string' ? [text] : [];
}

/** The last part of a function's name, without its schema, as PostgreSQL reads it. */
function nameOf({ funcname }: Node): string | undefined {
    return Array.isArray(funcname) ? textsOf(funcname.at(-1))[0] : undefined;
}

async function sqliteProblem(sql: string): Promise<FactText | undefined> {
    const parser = await import('sqlite3-parser');
    const parsed = parser.parseStmt(sql);
    if (parsed.status !== 'ok')
        return clause`it is not a query of SQLite (${parsed.errors[0]?.message ?? 'it cannot be read'})`;
    if (parsed.root.type !== 'SelectStmt') return clause`it is not a SELECT`;
    for (const node of partsOf(parsed.root)) {
        const { type, name } = node;
        if (typeof type !== 'string') continue;
        if (type.endsWith('Stmt') && type !== 'SelectStmt')
            return clause`it holds a ${type}, which does more than read`;
        const called = type.startsWith('FunctionCall') && isNode(name) ? (name['name'] ?? name['text']) : undefined;
        if (typeof called === 'string' && isForbiddenFunction(called, 'sqlite')) return forbiddenFunction(called);
    }
    return undefined;
}
