// SPDX-License-Identifier: Apache-2.0
// Laws made by hand for the tests of elements: smooth, of everything a field allows.
#ifndef TR_HELPER_LAWS_H
#define TR_HELPER_LAWS_H

#include "elem/law.h"
#include "helper_mechanics.h"

// Frames besides the element's own `own` that its laws want: lively ones measure motions.
int frames_of_laws(const tr_field *fields, bool lively);
// Fills TR_LAW, TR_LAW3 and TR_MARKER fields. Laws are constant unless lively, but those of time or of
// positions always depend on what they may, in a way that does not mind rigid motions of everything. Of
// the optional laws one is given. They stay until many more were drawn.
void draw_laws(seed *s, const tr_field *fields, int own, int markers, bool lively, void *par);

#endif
