import { flowError, isFlowError } from '../../core/errors/flow-error';
import { keyIdOf, seal, unseal } from '../../io/crypto/envelope';
import { currentMasterKey } from '../../io/crypto/master-key';
import type { Id } from '../../database/write';
import type { SecretRows, StoredEnvelope } from './secret-rows';

/** The result of encrypting secrets with a new key. */
export interface RotationReport {
    readonly rotated: number;
    readonly current: number;
    readonly unreadable: readonly string[];
}

type Verdict = 'rotated' | 'current' | 'unreadable' | 'gone';

const BATCH = 100;
/** Covers users who edit the secret at the same moment. More attempts would not help. */
const MOST_TRIES = 5;

/**
 * Encrypts the INLINE secrets of a channel with the current master key, in batches. Each is updated by one statement that requires the value that was read:
 * after a crash every secret is readable by the current or the previous key, and no newer value is overwritten. Throws MASTER_KEY_INVALID before anything is
 * changed.
 */
export async function rotate(rows: SecretRows, channelId: Id): Promise<RotationReport> {
    const { id: keyId } = currentMasterKey();
    const rotation = new Rotation(rows, { channelId, keyId });
    const counts: Record<Verdict, number> = { rotated: 0, current: 0, unreadable: 0, gone: 0 };
    const unreadable: string[] = [];
    let after: Id | undefined;
    for (;;) {
        const batch = await rows.envelopes(channelId, { after, limit: BATCH });
        for (const row of batch) {
            const outcome = await rotation.of(row);
            counts[outcome]++;
            if (outcome === 'unreadable') unreadable.push(row.code);
        }
        if (batch.length < BATCH)
            return { rotated: counts.rotated, current: counts.current, unreadable: unreadable.sort() };
        after = batch.at(-1)!.id;
    }
}

class Rotation {
    constructor(
        private readonly rows: SecretRows,
        private readonly to: { readonly channelId: Id; readonly keyId: string },
    ) {}

    async of(found: StoredEnvelope): Promise<Verdict> {
        let row: StoredEnvelope | undefined = found;
        for (let tries = 0; tries < MOST_TRIES; tries++) {
            if (!row) return 'gone';
            const outcome = await this.once(row);
            if (outcome) return outcome;
            row = await this.rows.envelope(row.id);
        }
        throw flowError('DATABASE_BUSY', {
            problem: `secret "${found.code}" was changed ${MOST_TRIES} times during the rotation`,
        });
    }

    /** Undefined when it was changed in the meantime. */
    private async once({ id, code, value }: StoredEnvelope): Promise<Verdict | undefined> {
        const place = { channelId: this.to.channelId, code };
        const old = value ?? '';
        const content = opened(old, place);
        if (content === undefined) return 'unreadable';
        if (keyIdOf(old) === this.to.keyId) return 'current';
        return (await this.rows.replace(id, old, seal(content, place))) ? 'rotated' : undefined;
    }
}

function opened(text: string, place: { readonly channelId: Id; readonly code: string }): string | undefined {
    try {
        return unseal(text, place);
    } catch (error) {
        // An unreadable secret is reported by its code and left alone. An invalid key ends the rotation.
        if (isFlowError(error) && error.code === 'SECRET_UNREADABLE') return undefined;
        throw error;
    }
}
