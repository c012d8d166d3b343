import { applyDecorators, UseFilters } from '@nestjs/common';
import { Allow, type Permission } from '@vendure/core';
import { FileErrorsFilter } from './file-errors.filter';

/** A file route: open to those who have one of these permissions in the active channel, which its errors name. */
export function FileRoute(...permissions: readonly Permission[]): MethodDecorator {
    return applyDecorators(Allow(...permissions), UseFilters(new FileErrorsFilter(permissions)));
}
