import { isFlowError } from '../../core/errors/flow-error';
import type { Address, HostProblem } from '../../core/schema/address-fields';
import { type Allowed, normalHost, OutboundPolicy } from './policy';
import { clause } from '../../core/errors/rendered';

/** Names that mean the local machine, wherever they are looked up. */
const OWN_NAME = /^(.+\.)?localhost$/;

/**
 * Why the host of an address may not be reached, as far as this is known without looking its name up. The values of
 * `{{placeholders}}` are not part of a host. A path, which a connection completes, has no host.
 */
export function hostProblemOf(allowed: Allowed): HostProblem {
    const policy = new OutboundPolicy(allowed);
    const listed = new Set(allowed.allowedHostnames.map(host => normalHost(host) ?? host));
    return address => {
        if (address.form === 'url' && !/^https?:\/\//i.test(address.text)) return undefined;
        try {
            const host = hostOf(address, policy);
            if (!OWN_NAME.test(host) || listed.has(host)) return undefined;
            return clause`${host} is this server itself. Add it to the plugin option security.allowedHostnames to allow it`;
        } catch (error) {
            if (isFlowError(error)) return { code: error.code, message: error.message, facts: error.facts ?? {} };
            throw error;
        }
    };
}

/** Any port, for a host without one: the real port, and whether it is usual, is known when a socket is opened. */
const ANY_PORT = 443;

/** Throws OUTBOUND_BLOCKED. */
function hostOf({ form, text, usualPorts }: Address, policy: OutboundPolicy): string {
    return form === 'url'
        ? policy.target(text, { usualPorts }).host
        : policy.socketHost({ host: text, port: ANY_PORT, usualPorts: [ANY_PORT] });
}
