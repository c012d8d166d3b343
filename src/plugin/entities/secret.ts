import type { DeepPartial, ID } from '@vendure/common/lib/shared-types';
import { Column, Entity, Index } from 'typeorm';
import { FlowEntity, idColumn, keyText, longJson, longText } from './columns';

export type SecretProvider = 'ENV' | 'INLINE';

/** A secret under a code that is unique within its channel. */
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
     * the shop's code, whose value every process has already and the database never sees.
     */
    @Column(longText({ name: 'value', nullable: true }))
    value: string | null;

    /** Which master key the envelope needs. */
    @Column({ type: 'varchar', name: 'key_id', length: 16, nullable: true })
    keyId: string | null;

    /** Entries of the form of `allowedHostProblem`; null as long as none was ever given. */
    @Column(longJson({ name: 'allowed_hosts', nullable: true }))
    allowedHosts: readonly string[] | null;

    /** False once a secret that came from the shop's code is gone from there. */
    @Column({ type: Boolean, name: 'enabled', default: true })
    enabled: boolean;

    /** Declared in the plugin's options, hence read-only for everybody else. */
    @Column({ type: Boolean, name: 'code_first', default: false })
    codeFirst: boolean;

    /** Raised by every change. */
    @Column({ type: 'int', name: 'version', default: 1 })
    version: number;
}
