import { applyDecorators, UseFilters, UseGuards } from '@nestjs/common';
import { Allow, type Permission } from '@vendure/core';
import { CrossSiteGuard } from './cross-site.guard';
import { FileErrorsFilter } from './file-errors.filter';

/**
 * A route for files. It requires one of these permissions in the active channel, which its errors name, and rejects requests from pages of
 * other sites.
 */
export function FileRoute(...permissions: readonly Permission[]): MethodDecorator {
    return applyDecorators(
        Allow(...permissions),
        UseGuards(new CrossSiteGuard()),
        UseFilters(new FileErrorsFilter(permissions)),
    );
}
