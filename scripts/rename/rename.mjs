// Renames identifiers and files of a tree by the tables in ./map. Usage: node rename.mjs <tree> [--dry]
import { createRequire } from 'node:module';
import { existsSync, mkdirSync, readFileSync, readdirSync, renameSync, rmdirSync, writeFileSync, statSync } from 'node:fs';
import { dirname, join, posix, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const HERE = dirname(fileURLToPath(import.meta.url));
const ROOT = resolve(process.argv[2] ?? '.');
const DRY = process.argv.includes('--dry');
const require = createRequire(join(ROOT, 'package.json'));
const ts = require('typescript');
const started = Date.now();
const say = text => console.log(`[${((Date.now() - started) / 1000).toFixed(1)}s] ${text}`);
const report = [];

// ---------------------------------------------------------------- the map
const lines = name => {
    const file = join(HERE, 'map', name);
    if (!existsSync(file)) return [];
    return readFileSync(file, 'utf8').split('\n').map(l => l.replace(/#.*$/, '').trim()).filter(Boolean);
};
const pairs = name => new Map(lines(name).map(l => l.split(/\s+/)).filter(p => {
    if (p.length !== 2) report.push(`map ${name}: bad line "${p.join(' ')}"`);
    return p.length === 2 && p[0] !== p[1];
}));
const exportsMap = pairs('exports.txt'); // name, or path#name
const localsMap = pairs('locals.txt'); // name of variables, parameters, functions that are not exported
const membersMap = pairs('members.txt'); // name of a member (of whatever type), or Type.name
const keepMembers = new Set(lines('keep.txt')); // Type.name or name, whose class of members stays
const foldersMap = pairs('folders.txt'); // src/a -> src/b
const filesMap = pairs('files.txt'); // src/a/b (no .ts) -> src/a/c; specs and fixtures of the same name follow
writeFileSync(join(HERE, 'map.json'), JSON.stringify({
    exports: Object.fromEntries(exportsMap), members: Object.fromEntries(membersMap), locals: Object.fromEntries(localsMap),
    folders: Object.fromEntries(foldersMap), files: Object.fromEntries(filesMap), keep: [...keepMembers] }, null, 2));

// ---------------------------------------------------------------- files of the tree
const SKIP = /(^|\/)(node_modules|dist|dist-dashboard|\.git|\.test-data|grouped-specs|\.flow-demo|coverage)(\/|$)/;
function walk(dir, out = []) {
    for (const e of readdirSync(join(ROOT, dir), { withFileTypes: true })) {
        const p = dir ? `${dir}/${e.name}` : e.name;
        if (SKIP.test(p) || e.isSymbolicLink()) continue;
        if (e.isDirectory()) walk(p, out); else out.push(p);
    }
    return out;
}
const all = walk('');
const rel = p => relative(ROOT, p).split('\\').join('/');

// ---------------------------------------------------------------- where files go
const moves = new Map(); // old path -> new path
{
    const used = new Set();
    const fileOf = p => { // longest stem in filesMap
        const m = /^(.*\/)([^/]+?)((?:\.[^/]*)?)$/.exec(p);
        if (!m) return p;
        const [, dir, , ] = m; const base = p.slice(dir.length);
        const parts = base.split('.');
        for (let n = parts.length - 1; n >= 1; n--) {
            const stem = dir + parts.slice(0, n).join('.');
            const to = filesMap.get(stem);
            if (to) { used.add(stem); return `${to}.${parts.slice(n).join('.')}`; }
        }
        return p;
    };
    for (const p of all) {
        let q = fileOf(p);
        const folder = [...foldersMap.keys()].filter(f => q.startsWith(`${f}/`)).sort((a, b) => b.length - a.length)[0];
        if (folder) { used.add(folder); q = foldersMap.get(folder) + q.slice(folder.length); }
        if (q !== p) moves.set(p, q);
    }
    for (const k of [...filesMap.keys(), ...foldersMap.keys()]) if (!used.has(k)) report.push(`no such file or folder: ${k}`);
    const taken = new Map();
    for (const p of all) {
        const q = moves.get(p) ?? p;
        if (taken.has(q)) { report.push(`CONFLICT of files: ${p} and ${taken.get(q)} would both be ${q}`); moves.delete(p); } else taken.set(q, p);
    }
}

// ---------------------------------------------------------------- parsing and binding (no types are checked: that takes minutes)
const isTs = p => /\.(tsx?|mts|cts)$/.test(p) && !/\.d\.ts$/.test(p);
const importsTree = p => /['"](\.\.\/)+(src|test|e2e|scripts)\//.test(readFileSync(join(ROOT, p), 'utf8'));
const roots = all.filter(p => isTs(p) && /^(src|e2e|test|bench|scripts|demo|migrations|examples)\//.test(p) || p === 'jest.config.ts' || /^dashboard-ui\/.*\.tsx?$/.test(p) && importsTree(p));
const program = ts.createProgram(roots.map(p => join(ROOT, p)), { noLib: true, noResolve: true, types: [], target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.NodeNext, moduleResolution: ts.ModuleResolutionKind.NodeNext, experimentalDecorators: true, jsx: ts.JsxEmit.ReactJSX });
const checker = program.getTypeChecker();
const sources = program.getSourceFiles().filter(f => !f.isDeclarationFile && !rel(f.fileName).startsWith('..'));
const byPath = new Map(sources.map(f => [rel(f.fileName), f]));
say(`${sources.length} files bound`);
const inSrc = f => rel(f.fileName).startsWith('src/') && !/\.spec\.ts$/.test(f.fileName);
const each = (node, fn) => { fn(node); ts.forEachChild(node, c => each(c, fn)); };
const declName = d => d.name && ts.isIdentifier(d.name) ? d.name : undefined;
const statementOf = d => ts.isVariableDeclaration(d) ? d.parent.parent : d;
const isTop = d => ts.isSourceFile(statementOf(d).parent);
const isExported = d => { const st = statementOf(d); return ts.canHaveModifiers(st) && (ts.getModifiers(st) ?? []).some(m => m.kind === ts.SyntaxKind.ExportKeyword); };
const exists0 = new Set(all);
function moduleOf(f, spec) {
    if (!spec.startsWith('.')) return undefined;
    const base = posix.normalize(posix.join(posix.dirname(rel(f.fileName)), spec));
    return [`${base}.ts`, `${base}.tsx`, `${base}/index.ts`, base].find(c => exists0.has(c));
}

// ---------------------------------------------------------------- targets: symbol of a declaration -> new name
const decap = s => s[0].toLowerCase() + s.slice(1);
const plural = s => /(s|x|ch|sh)$/.test(s) ? `${s}es` : /[^aeiou]y$/.test(s) ? `${s.slice(0, -1)}ies` : `${s}s`;
const follow = new Map(); // local name -> [{ type, to }]
for (const [key, to] of exportsMap) {
    const name = key.includes('#') ? key.split('#')[1] : key;
    if (!/^[A-Z][a-z]/.test(name)) continue;
    const add = (l, n) => follow.set(l, [...(follow.get(l) ?? []), { type: name, to: n }]);
    add(decap(name), decap(to));
    if (plural(name) !== name) add(decap(plural(name)), decap(plural(to)));
}
/** By the written type or by `new X(…)`. */
function followed(name, d) {
    const options = follow.get(name);
    if (!options) return undefined;
    const written = new Set();
    const collect = n => { if (ts.isIdentifier(n)) written.add(n.text); ts.forEachChild(n, collect); };
    if (d.type && !ts.isFunctionTypeNode(d.type)) collect(d.type);
    else if (d.initializer && ts.isNewExpression(d.initializer)) collect(d.initializer.expression);
    else if (d.initializer && ts.isAwaitExpression(d.initializer) && ts.isNewExpression(d.initializer.expression)) collect(d.initializer.expression.expression);
    return options.find(o => written.has(o.type))?.to;
}
/** `parts: SocketParts` becomes `deps: SocketDeps`. */
const lastWord = n => decap(n.split(/(?=[A-Z])/).at(-1));
const byLast = new Map();
for (const [k, to] of exportsMap) { const n = k.split('#').at(-1); if (/^[A-Z][a-z]/.test(n) && lastWord(n) !== lastWord(to) && n.split(/(?=[A-Z])/).length > 1) byLast.set(n, [lastWord(n), lastWord(to)]); }
function followedByLast(name, d) {
    if (!d.type || !ts.isTypeReferenceNode(d.type) || !ts.isIdentifier(d.type.typeName)) return undefined;
    const pair = byLast.get(d.type.typeName.text);
    return pair && pair[0] === name ? pair[1] : undefined;
}
const scopeLocal = d => ts.isVariableDeclaration(d) || ts.isParameter(d) || ts.isBindingElement(d) || ts.isFunctionDeclaration(d) || ts.isFunctionExpression(d)
    || ts.isInterfaceDeclaration(d) || ts.isTypeAliasDeclaration(d) || ts.isClassDeclaration(d);
const targets = new Map(); // symbol -> { to, kind, decl }
const exportTargets = new Map(); // file -> Map(name -> target)
const seenExports = new Set();
const exportedOld = new Map(); // for prose: old -> new
const isParameterProperty = n => ts.isParameter(n) && ts.isParameterPropertyDeclaration(n, n.parent);
const scopeSymbol = d => { // the symbol that names in the scope resolve to
    const s = d.symbol;
    if (!s) return undefined;
    if (isParameterProperty(d)) return d.parent.locals?.get(d.name.text);
    return (isTop(d) && d.localSymbol) || s;
};
for (const f of sources) {
    const path = rel(f.fileName);
    each(f, d => {
        if (!scopeLocal(d)) return;
        const id = declName(d);
        if (!id || !d.symbol) return;
        const exported = !ts.isParameter(d) && !ts.isBindingElement(d) && isTop(d) && isExported(d);
        if (exported && (inSrc(f) || exportsMap.has(`${path.replace(/\.ts$/, '')}#${id.text}`))) {
            const key = `${path.replace(/\.ts$/, '')}#${id.text}`;
            const to = exportsMap.get(key) ?? exportsMap.get(id.text);
            if (!to) return;
            seenExports.add(exportsMap.has(key) ? key : id.text);
            const t = targets.get(d.symbol) ?? { to, kind: 'export', decl: d };
            targets.set(d.symbol, t);
            if (d.localSymbol) targets.set(d.localSymbol, t);
            if (!exportTargets.has(path)) exportTargets.set(path, new Map());
            exportTargets.get(path).set(id.text, t);
            exportedOld.set(id.text, to);
        } else if (!exported) {
            const to = localsMap.get(id.text) ?? followed(id.text, d) ?? followedByLast(id.text, d);
            const s = scopeSymbol(d);
            if (s && to && to !== id.text && !isParameterProperty(d)) targets.set(s, { to, kind: 'local', decl: d });
        }
    });
}
for (const k of exportsMap.keys()) if (!seenExports.has(k)) report.push(`no such export: ${k}`);
say(`${targets.size} symbols`);

/** The target that a module exports under a name, through `export { … } from` and `export *`. */
const specifierOf = n => n && ts.isStringLiteral(n) ? n.text : undefined;
const exportCache = new Map();
function exportedTarget(path, name, depth = 0) {
    const key = `${path}#${name}`;
    if (exportCache.has(key)) return exportCache.get(key);
    exportCache.set(key, undefined);
    let t = exportTargets.get(path)?.get(name);
    const f = byPath.get(path);
    if (!t && f && depth < 5) for (const st of f.statements) {
        if (!ts.isExportDeclaration(st)) continue;
        const from = st.moduleSpecifier && moduleOf(f, specifierOf(st.moduleSpecifier));
        if (!st.exportClause && from) t = exportedTarget(from, name, depth + 1);
        else if (st.exportClause && ts.isNamedExports(st.exportClause)) {
            const e = st.exportClause.elements.find(x => x.name.text === name);
            if (e && !e.propertyName) t = from ? exportedTarget(from, name, depth + 1) : targetOfImport(f, name, depth + 1);
        }
        if (t) break;
    }
    exportCache.set(key, t);
    return t;
}
function targetOfImport(f, name, depth) {
    for (const st of f.statements) if (ts.isImportDeclaration(st) && st.importClause?.namedBindings && ts.isNamedImports(st.importClause.namedBindings)) {
        const e = st.importClause.namedBindings.elements.find(x => x.name.text === name);
        const from = e && moduleOf(f, specifierOf(st.moduleSpecifier));
        if (e && from) return exportedTarget(from, (e.propertyName ?? e.name).text, depth);
    }
    return undefined;
}
/** The target of a symbol of some scope. Of an import under its own name, that of the export. */
function targetOf(s) {
    if (!s) return undefined;
    const own = targets.get(s);
    if (own) return own.dropped ? undefined : own;
    if (s.flags & ts.SymbolFlags.Alias) {
        const d = s.declarations?.[0];
        if (d && ts.isImportSpecifier(d) && !d.propertyName) {
            const from = moduleOf(d.getSourceFile(), specifierOf(d.parent.parent.parent.moduleSpecifier));
            const t = from && exportedTarget(from, d.name.text);
            return t && !t.dropped ? t : undefined;
        }
    }
    return undefined;
}

// ---------------------------------------------------------------- members: one name, one new name, everywhere
const memberTo = new Map(); // name -> to
const usedMembers = new Set();
const isMember = d => ts.isPropertySignature(d) || ts.isMethodSignature(d) || ts.isPropertyDeclaration(d) || ts.isMethodDeclaration(d) || ts.isGetAccessor(d) || ts.isSetAccessor(d)
    || ts.isPropertyAssignment(d) || ts.isShorthandPropertyAssignment(d) || isParameterProperty(d);
const declaredMembers = new Map(); // name -> declarations
for (const f of sources) each(f, d => { if (isMember(d) && d.name && ts.isIdentifier(d.name)) declaredMembers.set(d.name.text, [...(declaredMembers.get(d.name.text) ?? []), d]); });
const spelledOutside = new Set(); // words of schemas, of processes in JavaScript, of columns
for (const p of all) if (/\.(cjs|mjs|js)$/.test(p) || /^src\/plugin\/api\/schema/.test(p) || /^src\/plugin\/entities\//.test(p) || /^dashboard-ui\/.*\.tsx?$/.test(p) && !roots.includes(p)) for (const m of readFileSync(join(ROOT, p), 'utf8').matchAll(/[A-Za-z_$][\w$]*/g)) spelledOutside.add(m[0]);
for (const [name, to] of membersMap) {
    const ds = declaredMembers.get(name) ?? [];
    if (ds.length === 0) { report.push(`no such member: ${name}`); continue; }
    usedMembers.add(name);
    const clash = ds.find(d => { const p = ts.isParameter(d) ? d.parent.parent : d.parent; return (p.members ?? p.properties ?? []).some(m => m !== d && m.name && ts.isIdentifier(m.name) && m.name.text === to); });
    const why = keepMembers.has(name) ? 'is kept' : spelledOutside.has(name) && !keepMembers.has(`!${name}`) ? 'is a word of the API, of an entity, of the dashboard or of a process' : clash ? `CONFLICT: ${rel(clash.getSourceFile().fileName)} has ${to} already` : undefined;
    if (why) { report.push(`${why.startsWith('CONFLICT') ? 'CONFLICT ' : ''}member ${name}: ${why}`); continue; }
    memberTo.set(name, to);
    if (/[a-z][A-Z]/.test(name) && !exportedOld.has(name)) exportedOld.set(name, to);
}
/** Private members follow their type, within their class. */
const privateTo = new Map(); // class -> Map(name -> to)
for (const f of sources) each(f, c => {
    if (!ts.isClassLike(c)) return;
    const members = [...c.members, ...c.members.filter(ts.isConstructorDeclaration).flatMap(k => k.parameters.filter(isParameterProperty))];
    const names = new Set(members.map(m => m.name && ts.isIdentifier(m.name) ? m.name.text : undefined));
    const fromOthers = new Set(); // members that are read from another instance, or from a destructured one
    each(c, n => { if (ts.isPropertyAccessExpression(n) && n.expression.kind !== ts.SyntaxKind.ThisKeyword) fromOthers.add(n.name.text); });
    for (const m of members) {
        if (!m.name || !ts.isIdentifier(m.name) || !(ts.getCombinedModifierFlags(m) & ts.ModifierFlags.Private)) continue;
        const to = memberTo.get(m.name.text) ? undefined : localsMap.get(m.name.text) ?? followed(m.name.text, m) ?? followedByLast(m.name.text, m);
        if (!to || names.has(to) || fromOthers.has(m.name.text) || ts.canHaveDecorators(m) && ts.getDecorators(m)?.length && !ts.isParameter(m)) continue;
        if (!privateTo.has(c)) privateTo.set(c, new Map());
        privateTo.get(c).set(m.name.text, to);
        names.add(to);
        if (ts.isParameter(m)) { const s = scopeSymbol(m); if (s) targets.set(s, { to, kind: 'local', decl: m, locked: true }); }
    }
});
const classOf = n => { let p = n; while (p && !ts.isClassLike(p)) p = p.parent; return p; };
function privateOf(id) { // this.name, other.name of the same class
    const p = id.parent;
    const c = classOf(p);
    const map = c && privateTo.get(c);
    if (!map) return undefined;
    if (ts.isPropertyAccessExpression(p) && p.name === id && p.expression.kind === ts.SyntaxKind.ThisKeyword) return map.get(id.text);
    if ((ts.isPropertyDeclaration(p) || ts.isMethodDeclaration(p) || ts.isGetAccessor(p) || ts.isSetAccessor(p)) && p.name === id && p.parent === c) return map.get(id.text);
    if (ts.isBindingElement(p) && (p.propertyName ?? p.name) === id) { const v = p.parent.parent; if (ts.isVariableDeclaration(v) && v.initializer?.kind === ts.SyntaxKind.ThisKeyword) return map.get(id.text); }
    return undefined;
}
say(`${memberTo.size} members, ${[...privateTo.values()].reduce((n, m) => n + m.size, 0)} private members`);

// ---------------------------------------------------------------- what an identifier means
const interesting = new Set();
for (const k of exportsMap.keys()) interesting.add(k.includes('#') ? k.split('#')[1] : k);
for (const [o] of byLast.values()) interesting.add(o);
for (const m of [localsMap, follow, memberTo]) for (const k of m.keys()) interesting.add(k);
const ANY_MEANING = ts.SymbolFlags.Value | ts.SymbolFlags.Type | ts.SymbolFlags.Namespace | ts.SymbolFlags.Alias;
const isTypePosition = id => { const p = id.parent; return ts.isTypeReferenceNode(p) || ts.isExpressionWithTypeArguments(p) && false || ts.isQualifiedName(p) && p.left === id || ts.isInterfaceDeclaration(p) || ts.isTypeAliasDeclaration(p); };
function resolveName(id, text = id.text, at = id) {
    const first = isTypePosition(id) ? ts.SymbolFlags.Type | ts.SymbolFlags.Namespace : ts.SymbolFlags.Value;
    return checker.resolveName(text, at, first | ts.SymbolFlags.Alias, false) ?? checker.resolveName(text, at, ANY_MEANING, false);
}
const memberOf = id => memberTo.get(id.text) ?? privateOf(id);
/** The name of something of a module that is taken as a property: `testing.x`, `{ x } = await import(…)`. */
function moduleProperty(id) {
    const p = id.parent;
    if (ts.isPropertyAccessExpression(p) && p.name === id && ts.isIdentifier(p.expression)) {
        const s = resolveName(p.expression);
        const d = s?.declarations?.[0];
        if (d && ts.isNamespaceImport(d)) { const from = moduleOf(d.getSourceFile(), specifierOf(d.parent.parent.moduleSpecifier)); const t = from && exportedTarget(from, id.text); return t && !t.dropped ? t.to : undefined; }
    }
    if (ts.isQualifiedName(p) && p.right === id && ts.isIdentifier(p.left)) { const d = resolveName(p.left)?.declarations?.[0]; if (d && ts.isNamespaceImport(d)) { const from = moduleOf(d.getSourceFile(), specifierOf(d.parent.parent.moduleSpecifier)); const t = from && exportedTarget(from, id.text); return t && !t.dropped ? t.to : undefined; } }
    if (ts.isImportTypeNode(p) && p.qualifier === id && ts.isLiteralTypeNode(p.argument)) { const from = moduleOf(id.getSourceFile(), p.argument.literal.text); const t = from && exportedTarget(from, id.text); return t && !t.dropped ? t.to : undefined; }
    if (ts.isBindingElement(p) && (p.propertyName ?? p.name) === id && ts.isObjectBindingPattern(p.parent) && ts.isVariableDeclaration(p.parent.parent)) {
        const call = /(?:import|require|requireActual)\((['"])(\.[^'"]+)\1\)/.exec(p.parent.parent.initializer?.getText() ?? '');
        const from = call && moduleOf(id.getSourceFile(), call[2]);
        const t = from && exportedTarget(from, id.text);
        return t && !t.dropped ? t.to : undefined;
    }
    return undefined;
}
function meaning(id) {
    const p = id.parent;
    if (ts.isShorthandPropertyAssignment(p) && p.name === id) { const s = resolveName(id); return { shorthand: true, value: targetOf(s)?.to, prop: memberOf(id), symbol: s }; }
    if (ts.isBindingElement(p) && p.name === id) {
        const pattern = ts.isObjectBindingPattern(p.parent) && !p.propertyName && !p.dotDotDotToken;
        return { binding: pattern, value: targetOf(p.symbol)?.to, prop: pattern ? memberOf(id) ?? moduleProperty(id) : undefined, symbol: p.symbol };
    }
    if (ts.isBindingElement(p) && p.propertyName === id) return { prop: memberOf(id) ?? moduleProperty(id) };
    if (ts.isImportSpecifier(p)) {
        if (p.propertyName && p.name === id) return {};
        const from = moduleOf(id.getSourceFile(), specifierOf(p.parent.parent.parent.moduleSpecifier) ?? '');
        const t = from && exportedTarget(from, id.text);
        return t && !t.dropped ? { value: t.to, symbol: p.propertyName ? undefined : p.symbol } : { symbol: p.symbol };
    }
    if (ts.isExportSpecifier(p)) {
        if (p.propertyName && p.name === id) return {};
        const d = p.parent.parent;
        const from = d.moduleSpecifier && moduleOf(id.getSourceFile(), specifierOf(d.moduleSpecifier));
        const t = d.moduleSpecifier ? from && exportedTarget(from, id.text) : targetOf(checker.resolveName(id.text, id, ANY_MEANING, false));
        return t && !t.dropped ? { value: t.to } : {};
    }
    const isProp = (ts.isPropertyAccessExpression(p) || ts.isMetaProperty(p)) && p.name === id || ts.isQualifiedName(p) && p.right === id || isMember(p) && p.name === id && !ts.isParameter(p) || ts.isEnumMember(p) && p.name === id || ts.isImportTypeNode(p);
    if (isProp) return { prop: memberOf(id) ?? moduleProperty(id) };
    if (ts.isParameter(p) && p.name === id && isParameterProperty(p)) return { value: memberTo.get(id.text) ?? privateTo.get(classOf(p))?.get(id.text), symbol: scopeSymbol(p) };
    if (ts.isLabeledStatement(p) || ts.isBreakOrContinueStatement(p) || ts.isJsxAttribute(p) || ts.isNamedTupleMember(p) && p.name === id) return {};
    if (p.name === id && p.symbol && scopeLocal(p)) { const s = scopeSymbol(p); return { value: targetOf(s)?.to ?? targetOf(p.symbol)?.to, symbol: s }; }
    const s = resolveName(id);
    return { value: targetOf(s)?.to, symbol: s };
}

// Variables and parameters follow the renamed property that they are named like.
const couldFollow = s => s && !targets.has(s) && !(s.flags & ts.SymbolFlags.Alias) && s.declarations?.every(d => scopeLocal(d) && !(isTop(d) && isExported(d) && !ts.isParameter(d) && !ts.isBindingElement(d)));
for (const f of sources) each(f, n => {
    if (ts.isBindingElement(n) && ts.isIdentifier(n.name) && !n.propertyName && !n.dotDotDotToken && ts.isObjectBindingPattern(n.parent)) {
        const to = memberTo.get(n.name.text) ?? privateOf(n.name) ?? moduleProperty(n.name);
        if (to && couldFollow(n.symbol)) targets.set(n.symbol, { to, kind: 'local', decl: n });
    }
    if (ts.isShorthandPropertyAssignment(n) && memberTo.has(n.name.text)) {
        const s = resolveName(n.name);
        if (couldFollow(s)) targets.set(s, { to: memberTo.get(n.name.text), kind: 'local', decl: s.declarations[0] });
    }
    if (isParameterProperty(n) && ts.isIdentifier(n.name) && memberTo.has(n.name.text)) { const s = scopeSymbol(n); if (s) targets.set(s, { to: memberTo.get(n.name.text), kind: 'local', decl: n, locked: true }); }
});

// ---------------------------------------------------------------- conflicts of scopes
const allTo = new Set([...targets.values()].map(t => t.to));
const candidates = []; // [file, identifier]: all that a renamed thing may be or hide
for (const f of sources) each(f, n => { if (ts.isIdentifier(n) && (interesting.has(n.text) || allTo.has(n.text))) candidates.push([f, n]); });
function checkScopes(dropsOnly) {
    const finals = new Set([...targets.values()].filter(t => !t.dropped).map(t => t.to));
    const finalOf = s => targetOf(s)?.to ?? s.name;
    const tables = new Map();
    const tableOf = table => {
        let m = tables.get(table);
        if (!m) { m = new Map(); for (const s of table.values()) { const k = finalOf(s); if (finals.has(k)) m.set(k, [...(m.get(k) ?? []), s]); } tables.set(table, m); }
        return m;
    };
    const lookup = (node, name) => { for (let n = node; n; n = n.parent) { const hit = n.locals && tableOf(n.locals).get(name); if (hit) return hit; } return undefined; };
    const same = (a, b) => a === b || a?.exportSymbol === b || b?.exportSymbol === a || a && b && a.declarations?.[0] === b.declarations?.[0];
    let changes = 0;
    for (const [f, id] of candidates) (() => {
        if (!finals.has(id.text) && !interesting.has(id.text)) return;
        const m = meaning(id);
        if (!m.symbol) return;
        const final = m.value ?? id.text;
        if (!finals.has(final)) return;
        const p = id.parent;
        // A name of a declaration lives in the scope around it.
        const hits = lookup(id, final);
        if (!hits) return;
        const clash = hits.filter(h => !same(h, m.symbol));
        if (clash.length === 0) return;
        const kinds = s => (s.flags & ts.SymbolFlags.Alias ? 3 : (s.flags & ts.SymbolFlags.Value ? 1 : 0) | (s.flags & ts.SymbolFlags.Type ? 2 : 0));
        if (!clash.some(c => kinds(c) & kinds(m.symbol))) return;
        const at = `${rel(f.fileName)}:${f.getLineAndCharacterOfPosition(id.getStart(f)).line + 1}`;
        const list = [m.symbol, ...clash];
        const live = s => { const t = targets.get(s); return t && !t.dropped ? t : undefined; };
        const local = list.find(s => live(s)?.kind === 'local' && !live(s).locked);
        if (local) { const t = live(local); t.dropped = true; changes++; report.push(`CONFLICT local ${local.name} -> ${t.to}: taken at ${at}; the local stays`); return; }
        if (dropsOnly) return;
        const stays = list.find(s => !live(s) && !(s.flags & ts.SymbolFlags.Alias) && s.declarations?.every(d => scopeLocal(d) && !(!ts.isParameter(d) && !ts.isBindingElement(d) && isTop(d) && isExported(d)) && !isParameterProperty(d)));
        if (stays) {
            const back = `${final}${/^[A-Z]/.test(final) ? 'Type' : 'Value'}`;
            targets.set(stays, { to: back, kind: 'local', decl: stays.declarations[0], locked: true });
            interesting.add(stays.name); changes++;
            report.push(`CONFLICT export ${final}: taken by a local at ${at}; the local becomes ${back}`);
            return;
        }
        const t = list.map(s => targetOf(s)).find(Boolean);
        if (t) { t.dropped = true; changes++; report.push(`CONFLICT ${t.kind} -> ${t.to}: taken at ${at}; it stays`); exportedOld.delete(declName(t.decl)?.text); }
    })();
    return changes;
}
for (let round = 1, dropsOnly = true; round <= 10; round++) { const n = checkScopes(dropsOnly); say(`scopes, round ${round}: ${n} changes`); if (n === 0) { if (!dropsOnly) break; dropsOnly = false; } else dropsOnly = true; }

// ---------------------------------------------------------------- collecting edits
const edits = new Map(); // file -> [{ start, end, text }]
const edit = (f, start, end, text) => { const k = rel(f.fileName); edits.set(k, [...(edits.get(k) ?? []), { start, end, text }]); };
let count = 0;
const renamedIn = new Map(); // file -> names of exports that occur in it
for (const f of sources) each(f, n => {
    if (ts.isStringLiteralLike(n) && memberTo.has(n.text)) {
        const p = n.parent;
        const inType = ts.isLiteralTypeNode(p) && (ts.isIndexedAccessTypeNode(p.parent) || /^(Pick|Omit)$/.test((ts.isUnionTypeNode(p.parent) ? p.parent.parent : p.parent).typeName?.getText() ?? ''));
        const spied = ts.isCallExpression(p) && p.arguments[1] === n && /(spyOn|replaceProperty)$/.test(p.expression.getText());
        if (inType || spied) { edit(f, n.getStart(f) + 1, n.end - 1, memberTo.get(n.text)); count++; }
        return;
    }
    if (!ts.isIdentifier(n) || !interesting.has(n.text)) return;
    const m = meaning(n);
    const start = n.getStart(f), end = n.end;
    if (m.value && exportedOld.get(n.text) === m.value) { const k = rel(f.fileName); if (!renamedIn.has(k)) renamedIn.set(k, new Set()); renamedIn.get(k).add(n.text); }
    if (m.shorthand || m.binding) {
        const prop = m.prop ?? n.text, value = m.value ?? n.text;
        if (prop === n.text && value === n.text) return;
        edit(f, start, end, prop === value ? value : `${prop}: ${value}`);
        count++;
        return;
    }
    const to = m.value ?? m.prop;
    if (!to || to === n.text) return;
    const p = n.parent;
    if (ts.isImportSpecifier(p) && p.propertyName === n && p.name.text === to) { edit(f, p.propertyName.getStart(f), p.name.end, to); count++; return; }
    if (ts.isBindingElement(p) && p.propertyName === n && ts.isIdentifier(p.name) && p.name.text === to) { edit(f, p.propertyName.getStart(f), p.name.end, to); count++; return; }
    edit(f, start, end, to);
    count++;
});
say(`${count} identifiers in ${edits.size} files`);

// ---------------------------------------------------------------- texts
const texts = new Map();
const textOf = p => { let t = texts.get(p); if (t === undefined) { t = readFileSync(join(ROOT, p), 'utf8'); texts.set(p, t); } return t; };
const changed = new Set();
const setText = (p, t) => { if (t !== textOf(p)) { texts.set(p, t); changed.add(p); } };
for (const [p, list] of edits) {
    let t = textOf(p);
    for (const e of list.sort((a, b) => b.start - a.start)) t = t.slice(0, e.start) + e.text + t.slice(e.end);
    setText(p, t);
}

// ---------------------------------------------------------------- module specifiers and relative paths
const stem = p => p.replace(/\.tsx?$/, '');
const exists = new Set(all);
const dirs = new Set(all.flatMap(p => { const out = []; let d = posix.dirname(p); while (d !== '.') { out.push(d); d = posix.dirname(d); } return out; }));
const newDirOf = d => { const f = [...foldersMap.keys()].filter(k => d === k || d.startsWith(`${k}/`)).sort((a, b) => b.length - a.length)[0]; return f ? foldersMap.get(f) + d.slice(f.length) : d; };
function resolveRelative(from, spec) {
    const base = posix.normalize(posix.join(posix.dirname(from), spec));
    for (const c of [base, `${base}.ts`, `${base}.tsx`, `${base}.mjs`, `${base}.cjs`, `${base}.js`]) if (exists.has(c)) return { file: c, bare: c !== base };
    if (dirs.has(base)) return { dir: base };
    return undefined;
}
function newSpec(from, spec) {
    const r = resolveRelative(from, spec);
    if (!r) return undefined;
    const to = r.dir ? newDirOf(r.dir) : (moves.get(r.file) ?? r.file);
    const fromDir = posix.dirname(moves.get(from) ?? from);
    let s = posix.relative(fromDir, r.file && r.bare ? to.replace(/\.(tsx?|mjs|cjs|js)$/, '') : to);
    if (s === '') s = '.';
    if (!s.startsWith('.')) s = `./${s}`;
    if (spec.endsWith('/') && !s.endsWith('/')) s += '/';
    const was = posix.normalize(spec);
    return (was.startsWith('.') ? was : `./${was}`) === s || posix.normalize(s) === posix.normalize(spec) ? undefined : s;
}
const CODE = /\.(tsx?|mts|[mc]?js)$/;
if (moves.size > 0) for (const p of all) {
    if (!CODE.test(p)) continue;
    const t = textOf(p);
    const out = t.replace(/(['"`])(\.\.?(?:\/[\w.@/-]*)?)\1/g, (m, q, spec) => { const s = newSpec(p, spec); return s ? `${q}${s}${q}` : m; });
    setText(p, out);
}
// Imports in the code that scripts/new writes: relative to a folder of src that the text does not name.
for (const p of all) if (/^scripts\/new\//.test(p)) setText(p, textOf(p).replace(/((?:\.\.?\/)+)([\w-]+(?:\/[\w-]+)*)(?=['"`])/g, (m, up, tail) => {
    if (resolveRelative(p, m)) return m;
    const hit = [...moves].filter(([a]) => stem(a).endsWith(`/${tail}`) && a.startsWith('src/'));
    if (hit.length !== 1) return m;
    return up + stem(hit[0][1]).split('/').slice(-tail.split('/').length).join('/');
}));
// Links of pages
for (const p of all) if (p.endsWith('.md')) setText(p, textOf(p).replace(/\]\((\.\.?\/[^)#\s]+|[\w-]+[\w./-]*\.(?:md|ts))/g, (m, spec) => { const s = newSpec(p, spec); return s ? `](${s.startsWith('./') && !spec.startsWith('./') ? s.slice(2) : s}` : m; }));

// ---------------------------------------------------------------- prose: paths and names
const pathPairs = [...moves].flatMap(([a, b]) => CODE.test(a) ? [[a, b]] : []).map(([a, b]) => [a, b]);
const byStem = new Map();
for (const [a, b] of pathPairs) byStem.set(stem(a), stem(b)), byStem.set(a, b);
for (const [a, b] of foldersMap) byStem.set(a, b);
for (const d of dirs) if (newDirOf(d) !== d) byStem.set(d, newDirOf(d));
const PATH = /\b(?:src|e2e|test|bench|scripts|demo|dashboard-ui)\/[\w./-]*[\w-]/g;
const paths = text => text.replace(PATH, m => {
    if (byStem.has(m)) return byStem.get(m);
    const noDot = m.replace(/\.(spec|fixture|model\.spec)$/, '');
    if (byStem.has(noDot) && noDot !== m) return byStem.get(noDot) + m.slice(noDot.length);
    // A path with a line, or the beginning of a path.
    const dir = posix.dirname(m);
    if (newDirOf(dir) !== dir) return newDirOf(dir) + m.slice(dir.length);
    return m;
});
const publicSpellings = new Set(lines('public.txt'));
const ambiguous = k => publicSpellings.has(k) || spelledOutside.has(k) || declaredMembers.has(k) && !memberTo.has(k) && /^[a-z]/.test(k);
for (const k of [...exportedOld.keys()]) if (publicSpellings.has(k)) exportedOld.delete(k);
const publicText = ['src/index.ts', 'src/testing/index.ts'].filter(p => exists.has(p)).map(p => readFileSync(join(ROOT, p), 'utf8')).join('\n');
const isPublic = k => new RegExp(`\\b${k}\\b`).test(publicText);
const distinct = [...exportedOld].filter(([k]) => !ambiguous(k)).filter(([k]) => /[a-z0-9][A-Z]/.test(k) || /^[A-Z]+_[A-Z_]+$/.test(k));
const distinctMap = new Map(distinct);
const wordRe = distinct.length ? new RegExp(`(?<![\\w$.-])(?:${distinct.map(([k]) => k).sort((a, b) => b.length - a.length).join('|')})(?![\\w$-])`, 'g') : undefined;
const namesIn2 = text => wordRe ? text.replace(wordRe, m => distinctMap.get(m) ?? m) : text;
let renamedHere = new Set();
const ticked = text => text.replace(/`([^`\n]+)`/g, (m, code) => {
    if (exportedOld.has(code) && (distinctMap.has(code) || /^[A-Z][a-z]/.test(code) && !publicSpellings.has(code) || renamedHere.has(code))) return `\`${exportedOld.get(code)}\``;
    return `\`${code.replace(/(?<![\w$.'"-])[A-Za-z_$][\w$]*(?![\w$'"-])/g, w => distinctMap.get(w) ?? (/^[A-Z]/.test(w) && !ambiguous(w) || renamedHere.has(w) ? exportedOld.get(w) : undefined) ?? w)}\``;
});
const prose = text => ticked(namesIn2(text));
function codeTexts(p) {
    const t = textOf(p);
    if (!renamedIn.has(p) && paths(t) === t && !(wordRe && t.search(wordRe) >= 0) && !/^scripts\/new/.test(p)) return;
    const f = ts.createSourceFile(p, t, ts.ScriptTarget.Latest, true, p.endsWith('x') ? ts.ScriptKind.TSX : undefined);
    const out = [];
    const seen = new Set();
    const comments = n => { for (const r of [...(ts.getLeadingCommentRanges(t, n.getFullStart()) ?? []), ...(ts.getTrailingCommentRanges(t, n.end) ?? [])]) if (!seen.has(r.pos)) { seen.add(r.pos); out.push({ start: r.pos, end: r.end, comment: true }); } };
    const visit = n => {
        comments(n);
        if (ts.isStringLiteralLike(n) || n.kind === ts.SyntaxKind.TemplateHead || n.kind === ts.SyntaxKind.TemplateMiddle || n.kind === ts.SyntaxKind.TemplateTail) out.push({ start: n.getStart(f), end: n.end });
        n.getChildren(f).forEach(visit);
    };
    visit(f);
    let text = t;
    renamedHere = renamedIn.get(p) ?? new Set();
    const generator = /^scripts\/new/.test(p);
    for (const r of out.sort((a, b) => b.start - a.start)) {
        const was = text.slice(r.start, r.end);
        let now = paths(was);
        if (r.comment) now = prose(now);
        else if (generator) now = now.replace(/[A-Za-z_$][\w$]*/g, w => distinctMap.get(w) ?? (/^[A-Z][a-z]/.test(w) && !publicSpellings.has(w) ? exportedOld.get(w) : undefined) ?? w);
        else if (/\S\s+\S/.test(was.slice(1, -1))) now = namesIn2(now);
        if (now !== was) text = text.slice(0, r.start) + now + text.slice(r.end);
    }
    setText(p, text);
}
const names = moves.size + exportedOld.size;
if (names > 0) for (const p of all) {
    if (/\.(tsx?|mts)$/.test(p) && !/graphql-env\.d\.ts$/.test(p)) codeTexts(p);
    else if (/\.([mc]?js)$/.test(p)) setText(p, paths(textOf(p)));
    else if (/\.md$/.test(p)) { renamedHere = new Set(); setText(p, /^docs\/(guide|reference)\/|^README|^changelog|^CHANGELOG/.test(p) ? publicNames(paths(textOf(p))) : fences(paths(textOf(p)), prose)); }
    else if (/\.(json|ya?ml)$/.test(p) && !/package-lock\.json$/.test(p) && statSync(join(ROOT, p)).size < 3e6) setText(p, paths(textOf(p)));
}
/** In pages for users: what the package exports, in code. */
function publicNames(text) {
    return text.replace(/^```[\s\S]*?^```|`[^`\n]+`/gm, code => code.replace(/(?<![\w$.'"-])[A-Za-z_$][\w$]*(?![\w$'":-])/g, w => distinctMap.has(w) && isPublic(w) ? distinctMap.get(w) : w));
}
function fences(text, outside) {
    return text.split(/(^```[\s\S]*?^```)/m).map(part => part.startsWith('```') ? namesIn2(part) : outside(part)).join('');
}
// Names of files without their folder, in pages: only if no other file has the name.
{
    const bases = new Map();
    for (const p of all) bases.set(posix.basename(p), (bases.get(posix.basename(p)) ?? 0) + 1);
    const bare = [...moves].filter(([a, b]) => posix.basename(a) !== posix.basename(b) && bases.get(posix.basename(a)) === 1 && /-/.test(posix.basename(a)) && CODE.test(a));
    const map = new Map(bare.map(([a, b]) => [posix.basename(a), posix.basename(b)]));
    if (map.size) { const re = new RegExp(`(?<![\\w/-])(?:${[...map.keys()].map(k => k.replace(/\./g, '\\.')).join('|')})(?![\\w-])`, 'g');
        for (const p of all) if (/\.(md|[mc]?[jt]sx?)$/.test(p)) setText(p, textOf(p).replace(re, m => map.get(m))); }
}
say(`${changed.size} files changed, ${moves.size} moved`);

// ---------------------------------------------------------------- writing
if (!DRY) {
    for (const p of changed) writeFileSync(join(ROOT, p), texts.get(p));
    for (const [a, b] of moves) renameSync(join(ROOT, a), (mkdirSync(dirname(join(ROOT, b)), { recursive: true }), join(ROOT, b)));
    for (const d of [...dirs].sort((a, b) => b.length - a.length)) { try { rmdirSync(join(ROOT, d)); } catch (e) { if (!/ENOTEMPTY|ENOENT|EEXIST/.test(e.code)) throw e; } }
}
const touched = [...new Set([...changed].map(p => moves.get(p) ?? p))].filter(p => !/^docs\/reference\//.test(p));
writeFileSync(join(HERE, 'touched.txt'), touched.join('\n'));
writeFileSync(join(HERE, 'report.txt'), `${report.join('\n')}\n`);
say(`${report.length} remarks in report.txt; ${report.filter(l => l.startsWith('CONFLICT')).length} conflicts`);
