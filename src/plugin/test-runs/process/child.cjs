'use strict';

// The process that the records of step tests and previews are worked on in. Plain JavaScript, since it is started by its path, from the
// sources and from the package alike. Its argument is the process id of its parent.

require('../../../io/processes/parent-watch.cjs').endWithParent(Number(process.argv[2]));
require('./jobs').begin();
