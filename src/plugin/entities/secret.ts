import type { DeepPartial, ID } from '@vendure/common/lib/shared-types';
import { Column, Entity, Index } from 'typeorm';
import { FlowEntity, idColumn, keyText, longJson, longText } from './columns';

export type SecretProvider = 'ENV' | 'INLINE';

/** A secret. Its code is unique within its channel. */
@Entity('flow_secret')
@Index('IDX_flow_secret_code', ['channelId', 'code'], { unique: true })
export class FlowSecret extends FlowEntity {
    constructor(input?: DeepPartial<FlowSecret>) {
        super(input);
    }

    @Column(idColumn({ name: 'channel_id' }))
    channelId: ID;

    @Column(keyText({ name: 'code', length: 64 }))
    code: string;

    @Column({ type: 'varchar', name: 'provider', length: 8 })
    provider: SecretProvider;

    /**
     * ENV: the name of the environment variable. INLINE: the encrypted envelope (`io/crypto/envelope.ts`). Null for an INLINE secret from
     * the shop's code: every process knows its value, and the database never receives it.
     */
    @Column(longText({ name: 'value', nullable: true }))
    value: string | null;

    /** The master key that the envelope needs. */
    @Column({ type: 'varchar', name: 'key_id', length: 16, nullable: true })
    keyId: string | null;

    /** Entries in the form that `allowedHostProblem` checks; null if none was ever given. */
    @Column(longJson({ name: 'allowed_hosts', nullable: true }))
    allowedHosts: readonly string[] | null;

    /** False once a secret of the shop's code has been removed from the code. */
    @Column({ type: Boolean, name: 'enabled', default: true })
    enabled: boolean;

    /** Defined in the plugin's options, and therefore read-only elsewhere. */
    @Column({ type: Boolean, name: 'code_first', default: false })
    codeFirst: boolean;

    /** Incremented by every change. */
    @Column({ type: 'int', name: 'version', default: 1 })
    version: number;
}
