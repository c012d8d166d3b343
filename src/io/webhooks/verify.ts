import { randomBytes } from 'node:crypto';
import { revealInProcess, type Secret } from '../../core/adapter/secret';
import type { WebhookConfig } from '../../core/triggers/webhook';
import type { TaskQueue } from '../../core/concurrency/task-queue';
import { runAtOnce, type YieldingTask } from '../../core/concurrency/yielding-task';
import { bytesOfBase64 } from '../media/base64';
import { isValidToken } from './jwt';
import { digestIn, isAnyOf, isSecret, isTimely, signatures, standardHeaders } from './signatures';

/** A post as it came: each header as often as it came, by its name in lower case, and the exact bytes of its body. */
export interface WebhookPost {
    readonly headers: Readonly<Record<string, readonly string[] | undefined>>;
    readonly body: Uint8Array;
}

/** What a post is checked against. */
export interface WebhookGuard {
    readonly config: WebhookConfig;
    /** The readable secrets, one or two; each of them is accepted. */
    readonly secrets: readonly Secret[];
    readonly nowMs: number;
}

/** A body of at least this size is processed in turns; a smaller one takes no noticeable time. */
const LARGE_BODY = 64 * 1024;

/** The maximum number of keys of a webhook, and the number of signatures that are computed for a rejected request. */
const MOST_KEYS = 2;
const DECOYS = [randomBytes(32), randomBytes(32)] as const;

/** Does work on a body: in turns where that may take long. */
export function processBody<T>(body: Uint8Array, taskQueue: TaskQueue, yieldingTask: YieldingTask<T>): T | Promise<T> {
    return body.length > LARGE_BODY ? taskQueue.done(yieldingTask) : runAtOnce(yieldingTask);
}

/** The value of a header that occurs once, as its bytes; undefined if it is missing, empty or repeated. */
export function singleHeader({ headers }: Pick<WebhookPost, 'headers'>, name: string): string | undefined {
    const values = headers[name.toLowerCase()];
    return values?.length === 1 && values[0] !== '' ? values[0] : undefined;
}

/**
 * Whether a request is authenticated. Each comparison takes the same time for nearly correct and for wrong values. Without a guard, for a missing
 * webhook, no request is. A rejection takes the same work on the body for every reason, so that senders cannot distinguish the reasons.
 */
export async function authenticate(
    post: WebhookPost,
    guard: WebhookGuard | undefined,
    taskQueue: TaskQueue,
): Promise<boolean> {
    const { isRight, signed } = guard ? await judged(post, guard, taskQueue) : { isRight: false, signed: 0 };
    if (!isRight && signed < MOST_KEYS) {
        const keys = DECOYS.slice(signed);
        await processBody(post.body, taskQueue, signatures({ algorithm: 'sha256', keys }, post.body));
    }
    return isRight;
}

/** Why no post can authenticate with this secret, as the end of a sentence; undefined if one can. */
export function secretStrengthProblem({ authentication }: WebhookConfig, secret: Secret): string | undefined {
    if (authentication === 'STANDARD' && !standardKey(secret))
        return 'its value is not whsec_ and base64, as Standard Webhooks has it';
    if (authentication === 'BASIC' && !revealInProcess(secret).includes(':'))
        return 'its value is not username:password';
    return undefined;
}

interface Judged {
    readonly isRight: boolean;
    /** How often the body was signed for it. */
    readonly signed: number;
}

async function judged(post: WebhookPost, guard: WebhookGuard, taskQueue: TaskQueue): Promise<Judged> {
    const { config, secrets } = guard;
    switch (config.authentication) {
        case 'NONE':
            return { isRight: true, signed: 0 };
        case 'HMAC':
            return isSigned(post, guard, taskQueue);
        case 'STANDARD':
            return isStandard(post, guard, taskQueue);
        case 'API_KEY': {
            const key = singleHeader(post, config.apiKeyHeaderName);
            return { isRight: isSecret(bytesOf(key), secrets.map(utf8)) && key !== undefined, signed: 0 };
        }
        case 'BASIC': {
            const given = basicCredentials(singleHeader(post, 'authorization'));
            return { isRight: isSecret(given ?? NOTHING, secrets.map(utf8)) && given !== undefined, signed: 0 };
        }
        case 'JWT':
            return { isRight: await hasToken(post, guard), signed: 0 };
    }
}

async function isSigned(
    { body, ...post }: WebhookPost,
    { config, secrets }: WebhookGuard,
    taskQueue: TaskQueue,
): Promise<Judged> {
    const algorithm = config.hmacAlgorithm === 'SHA512' ? 'sha512' : 'sha256';
    const right = await processBody(body, taskQueue, signatures({ algorithm, keys: secrets.map(utf8) }, body));
    const given = digestIn(singleHeader(post, config.hmacHeaderName), algorithm);
    return { isRight: given !== undefined && isAnyOf([given], right), signed: secrets.length };
}

async function isStandard(
    { body, ...post }: WebhookPost,
    { secrets, nowMs }: WebhookGuard,
    taskQueue: TaskQueue,
): Promise<Judged> {
    const [id, timestamp, signature] = ['id', 'timestamp', 'signature'].map(name =>
        singleHeader(post, `webhook-${name}`),
    );
    const keys = secrets.map(secret => standardKey(secret) ?? randomBytes(32));
    const before = `${id}.${timestamp}.`;
    const right = await processBody(body, taskQueue, signatures({ algorithm: 'sha256', keys, before }, body));
    const given = standardHeaders({ id, timestamp, signature });
    const isRight = given !== undefined && isAnyOf(given.signatures, right) && isTimely(given, nowMs);
    return { isRight, signed: keys.length };
}

function hasToken(post: WebhookPost, { config, secrets, nowMs }: WebhookGuard): Promise<boolean> {
    const { jwtHeaderName, jwtIssuer: issuer, jwtAudience: audience } = config;
    const value = singleHeader(post, jwtHeaderName) ?? '';
    const bearer = /^Bearer +(\S+)$/i.exec(value)?.[1];
    // Other headers contain only the token, so no scheme prefix has to be recognised there.
    const token = bearer ?? (jwtHeaderName.toLowerCase() === 'authorization' ? '' : value);
    return isValidToken(token, secrets.map(utf8), { issuer, audience, nowMs });
}

/** `username:password` of RFC 7617. */
function basicCredentials(header: string | undefined): Buffer | undefined {
    const text = /^Basic +([A-Za-z0-9+/]+={0,2})$/i.exec(header ?? '')?.[1];
    return text === undefined ? undefined : bytesOfBase64(text);
}

function standardKey(secret: Secret): Buffer | undefined {
    const text = /^whsec_([A-Za-z0-9+/]+={0,2})$/.exec(revealInProcess(secret))?.[1];
    return text === undefined ? undefined : bytesOfBase64(text);
}

const NOTHING = Buffer.alloc(0);

/** Node reads each byte of a header as a character. */
function bytesOf(header: string | undefined): Buffer {
    return header === undefined ? NOTHING : Buffer.from(header, 'latin1');
}

function utf8(secret: Secret): Buffer {
    return Buffer.from(revealInProcess(secret), 'utf8');
}
