'use strict';

// The process that the records of step tests and previews are worked on in. Plain JavaScript, since it is started by its path, from the
// sources and from the package alike.

require('./jobs').begin();
