import { allowedHostProblem, MAX_ALLOWED_HOSTS } from '../../core/adapter/secret-hosts';
import { flowError } from '../../core/errors/flow-error';
import { RESOURCE_CODE } from '../../core/schema/fields';
import { show } from '../../core/value/show';
import type { SecretProvider } from '../entities/secret';
import { clause, type FactText } from '../../core/errors/rendered';

/** A secret as a caller of the API describes it. */
export interface SecretInput {
    readonly code: string;
    readonly provider: SecretProvider;
    readonly value: string;
    /** The hosts that it may be sent to. */
    readonly allowedHosts?: readonly string[] | null;
}

const MAX_BYTES = 65_536;
const VARIABLE = /^[A-Za-z_][A-Za-z0-9_]*$/;
const MAX_VARIABLE = 255;

/** Throws INPUT_INVALID for an invalid code of a secret. */
export function checkSecretCode(code: string): void {
    if (!RESOURCE_CODE.test(code)) {
        throw rejected(
            clause`code is ${show(code)}; allowed: 1 to 64 letters, digits, dots, hyphens and underscores, the first a letter or digit`,
        );
    }
}

/**
 * Throws INPUT_INVALID for a value that its provider cannot have. The value is never quoted, not even if it should be the name of a variable: the user may have
 * typed the secret itself there.
 */
export function checkValue(provider: SecretProvider, value: string): void {
    const problem = secretValueProblem(provider, value);
    if (problem !== undefined) throw rejected(problem);
}

/** The hosts as they are stored, without duplicates. Throws INPUT_INVALID if they are not a list of hosts. */
export function checkedHosts(given: readonly string[]): readonly string[] {
    const hosts = [...new Set(given.map(host => host.trim()))];
    const problem = allowedHostsProblem(hosts);
    if (problem !== undefined) throw rejected(clause`allowedHosts: ${problem}`);
    return hosts;
}

/** What is wrong with a list of allowed hosts. Undefined if it is valid. */
export function allowedHostsProblem(hosts: readonly string[]): FactText | undefined {
    return hosts.length > MAX_ALLOWED_HOSTS
        ? clause`has ${hosts.length} entries; allowed: at most ${MAX_ALLOWED_HOSTS}`
        : hosts.map(allowedHostProblem).find(Boolean);
}

/** What is wrong with the value of a secret, without quoting it. Undefined if it is valid. */
export function secretValueProblem(provider: SecretProvider, value: string): FactText | undefined {
    return provider === 'ENV' ? variableProblem(value) : inlineProblem(value);
}

function variableProblem(value: string): FactText | undefined {
    if (isMasterKey(value))
        return clause`value names the variable of the master key, which no pipeline or connection may read; allowed: any other variable`;
    if (value.length <= MAX_VARIABLE && VARIABLE.test(value)) return undefined;
    return clause`value ${faultOf(value)}; allowed with provider ENV: the name of exactly one environment variable, of letters, digits and underscores, the first no digit, at most ${MAX_VARIABLE}; no alternatives, defaults or lists`;
}

function faultOf(value: string): FactText {
    if (value === '') return clause`is empty`;
    if (/^[0-9]/.test(value)) return clause`begins with a digit`;
    const odd = /[^A-Za-z0-9_]/.exec(value);
    return odd ? clause`has ${show(odd[0])} as character ${odd.index + 1}` : clause`has ${value.length} characters`;
}

function inlineProblem(value: string): FactText | undefined {
    const allowed = clause`allowed with provider INLINE: 1 to ${MAX_BYTES.toLocaleString('en')} bytes of text`;
    if (value === '') return clause`value is empty; ${allowed}`;
    const bytes = Buffer.from(value);
    if (bytes.length > MAX_BYTES) return clause`value has ${bytes.length} bytes; ${allowed}`;
    return bytes.toString() === value
        ? undefined
        : clause`value is not Unicode text: it has half a surrogate pair; ${allowed}`;
}

function rejected(problem: FactText): Error {
    return flowError('INPUT_INVALID', { problem });
}

/** A secret that can be sent to other systems must never be the master key, even for administrators. */
export function isMasterKey(variable: string): boolean {
    return /^FLOW_MASTER_KEY/i.test(variable);
}
