import { isFlowError } from '../../core/errors/flow-error';
import { type Allowed, normalHost, OutboundPolicy } from './policy';

/** Names that mean the machine itself wherever they are looked up. */
const OWN_NAME = /^(.+\.)?localhost$/;

/**
 * Why the host of a whole URL may not be asked, as far as this is known without looking its name up; undefined where it may. What
 * `{{placeholders}}` stand for is not part of a host. A path, which a connection completes, has no host.
 */
export function hostProblemOf(allowed: Allowed): (url: string) => string | undefined {
    const policy = new OutboundPolicy(allowed);
    const listed = new Set(allowed.allowedHostnames.map(host => normalHost(host) ?? host));
    return url => {
        if (!/^https?:\/\//i.test(url)) return undefined;
        try {
            const { host } = policy.target(url);
            if (!OWN_NAME.test(host) || listed.has(host)) return undefined;
            return `${host} is this server itself. Add it to the plugin option security.allowedHostnames to allow it`;
        } catch (error) {
            if (isFlowError(error)) return error.message;
            throw error;
        }
    };
}
