import { EntityState, storedToken } from '../entities/entity-state';
import type { Id } from '../../database/write';

/** A collection as it is and as the records so far have changed it. */
export class CollectionState extends EntityState {
    /** Its new parent; undefined while it keeps the stored one. */
    parent: CollectionState | undefined;
    /** What it was stored below when it was read; null for a new one. */
    readonly storedBelow: Id | null = this.parentId;

    /** The one that all others are below. */
    get isRoot(): boolean {
        return this.columns.values['isRoot'] === true;
    }

    /** What it is stored below. */
    get parentId(): Id | null {
        return (this.columns.values['parentId'] ?? null) as Id | null;
    }

    override get ownerToken(): string | undefined {
        return this.parent?.token ?? (this.parentId === null ? undefined : storedToken(this.parentId));
    }
}
