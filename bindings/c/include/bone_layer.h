/* The C interface of bone-layer: packed rigs that play, and draw into commands or pixels.
 *
 * Every function returns a status and writes its results only with BL_OK. Texts are UTF-8 with their length, and need
 * no 0 at their end. Handles of figures and players may be used by any thread, one call with a player at a time. */
#ifndef BONE_LAYER_H
#define BONE_LAYER_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum {
    BL_OK,
    BL_NULL,        /* a pointer is null or not aligned */
    BL_CLOSED,      /* nothing has this handle */
    BL_PACK,        /* the bytes are no packed rig */
    BL_NEWER,       /* a packed rig of another version: pack it again */
    BL_NAME,        /* no such clip, bone, input, element or marker */
    BL_NUMBER,      /* a number that cannot be used */
    BL_INPUT,       /* the input takes another kind of value */
    BL_TEXT,        /* the element is no text, or the text is not UTF-8 */
    BL_SPACE,       /* the memory of the caller is too small, or there is none */
    BL_PANIC,       /* a fault of the library; the player was closed */
    BL_NOT_PLAYING, /* the clip has ended, or is no layer */
    BL_NOT_KEPT,    /* the drawing has nothing of this kind in the element */
    BL_OTHER        /* see bl_last_error */
} bl_status;

typedef uint64_t bl_figure; /* a packed rig */
typedef uint64_t bl_player;

#define BL_NONE UINT32_MAX

typedef enum { BL_CLIP, BL_BONE, BL_INPUT_NAME, BL_ELEMENT, BL_MARKER,
               BL_NODE /* counted only */, BL_MACHINE, BL_STATE /* counted and named, not found */, BL_OUTFIT } bl_kind;

uint32_t bl_abi_version(void);
/* What went wrong last in this thread; valid until its next call that fails. */
const char *bl_last_error(void);

/* Memory for callers without their own, aligned to 8; given back with the same length. */
uint8_t *bl_alloc(size_t length);
void bl_dealloc(uint8_t *at, size_t length);

/* The bytes are copied. */
bl_status bl_figure_load(const uint8_t *pack, size_t length, bl_figure *out);
bl_status bl_figure_find(bl_figure figure, uint32_t kind, const char *name, size_t length, uint32_t *id);
bl_status bl_figure_count(bl_figure figure, uint32_t kind, uint32_t *count);
/* Copies a name. BL_SPACE if it is longer than the room; its length is written in any case. */
bl_status bl_figure_name(bl_figure figure, uint32_t kind, uint32_t id, char *to, size_t room, size_t *length);
/* Width, height, and the matrix a, b, c, d, e, f from the canvas, on which bones and hits are, to the page's pixels. */
bl_status bl_figure_page(bl_figure figure, double out[8]);
/* Seconds, and 1 if it loops. */
bl_status bl_clip_info(bl_figure figure, uint32_t clip, double out[2]);
/* 0 takes the number of a child, 1 a number, 2 a place; then the least and the greatest number. */
bl_status bl_input_info(bl_figure figure, uint32_t input, double out[3]);

bl_status bl_player_new(bl_figure figure, bl_player *out);
/* Closes a figure or a player. Players of a closed figure play on. */
bl_status bl_free(uint64_t handle);

typedef struct {
    uint32_t struct_size; /* sizeof(bl_play_options) */
    uint32_t repeat;      /* 0 as the clip is, so many times, or UINT32_MAX forever */
    double fade;          /* seconds */
    double speed;
    double at; /* seconds of the clip */
} bl_play_options;

/* `options` may be null: at once, at speed 1, from 0. `playback` may be null. */
bl_status bl_play(bl_player player, uint32_t clip, const bl_play_options *options, uint64_t *playback);
bl_status bl_layer(bl_player player, uint32_t clip, double weight, double fade, uint64_t *playback);
/* Fades into a state machine; its inputs are called machine:NAME/INPUT. It plays until something else is played. */
bl_status bl_start(bl_player player, uint32_t machine, double fade);
bl_status bl_stop(bl_player player, uint64_t playback, double fade);
bl_status bl_seek(bl_player player, uint64_t playback, double time);
bl_status bl_set_speed(bl_player player, uint64_t playback, double speed);
/* The clip's own seconds. */
bl_status bl_time(bl_player player, uint64_t playback, double *out);
/* Bones, springs and events; the drawing follows where it is asked for. */
bl_status bl_step(bl_player player, double seconds);
/* A moment of a clip as render-frames draws it; springs are baked by the first one of each clip. */
bl_status bl_exact(bl_player player, uint32_t clip, double time);

typedef enum { BL_LOOPED, BL_ENDED, BL_REMOVED, BL_MARKER_PASSED, BL_INPUT_SET, BL_OVERFLOW, BL_STATE_ENTERED,
               BL_STUCK /* transitions lead round in a circle */ } bl_event_kind;

typedef struct {
    uint32_t kind;     /* bl_event_kind */
    uint32_t id;       /* of the marker, the input or the state */
    uint64_t playback; /* of the clip */
    double value;      /* how many times it looped, the share of the clip that passed the marker, or the layer */
} bl_event;

/* The events of the last step, until the next call with this player. */
bl_status bl_events(bl_player player, const bl_event **events, size_t *count);

bl_status bl_set_input(bl_player player, uint32_t input, double value);
bl_status bl_set_target(bl_player player, uint32_t input, double x, double y);
bl_status bl_reset_input(bl_player player, uint32_t input);
/* A trigger, which counts in the next step. */
bl_status bl_fire(bl_player player, uint32_t input);
/* Fills (0) or strokes (1) of an element: red, green, blue and alpha from 0 to 1; null gives them back. */
bl_status bl_set_color(bl_player player, uint32_t element, uint32_t part, const float rgba[4]);
/* 0 leaves it out, 1 shows it, -1 gives it back to the clips. */
bl_status bl_set_visible(bl_player player, uint32_t element, int32_t on);
/* Outfits, put on in this order; null gives back what the figure wears by itself. The next step shows it. */
bl_status bl_wear(bl_player player, const uint32_t *outfits, size_t count);
/* Words that the rig has; null gives the text back. */
bl_status bl_set_text(bl_player player, uint32_t element, const char *words, size_t length);

/* The matrix from the frame of the bone to the canvas. */
bl_status bl_bone_get(bl_player player, uint32_t bone, double out[6]);
/* Moves a bone in its parent's frame: x, y, an angle in degrees, factors along and across, and a stretch, on top of the
 * clips (0: nothing for 0, 0, 0, 1, 1, 1) or in their place (1). Null gives it back. The next step shows it. */
bl_status bl_set_bone(bl_player player, uint32_t bone, const double pose[6], uint32_t replace);
/* Brings the tip of a bone to a place of the canvas by so many bones, in the setup pose or in the moment of bl_exact;
 * where it is then. */
bl_status bl_drag(bl_player player, uint32_t bone, double x, double y, uint32_t chain, double out[2]);
/* The element in front at a place of the canvas, or BL_NONE. */
bl_status bl_hit(bl_player player, double x, double y, double reach, uint32_t *element);
/* Left, top, right and bottom on the canvas, of an element or of everything (BL_NONE). */
bl_status bl_bounds(bl_player player, uint32_t element, double out[4]);

/* Commands, back to front, each a run of 32-bit words: numbers, or the bits of a float (f).
 *
 *   0 fill     kind, words, node, element, transform, OUTLINE, flags, opacity f, PAINT
 *   1 stroke   kind, words, node, element, transform, OUTLINE, flags, opacity f, width f, cap, join, miter f,
 *              dash offset f, dashes, dash f..., PAINT
 *   2 image    kind, words, node, element, transform, width f, height f, sampling, tinted, then three factors f and
 *              three sums f (0 to 255) that make a pixel's red, green and blue
 *   3 push     kind, words, node, element, opacity f, blend, partial, clips, then for each clip: outlines, then for
 *              each of them: transform, OUTLINE, flags. The union of its outlines is visible.
 *              Then MATRIX of the inside, filters, then for each: x, y, width, height f, steps, then for each of them:
 *              0 (blur) or 1 (shadow), deviations x and y f, dx, dy f, red, green, blue (0 to 255) and opacity f.
 *              Then masks: so many pictures follow, before what is inside.
 *   4 pop      kind, words
 *   5 mask     kind, words, 0 luminance or 1 alpha, x, y, width, height f, MATRIX: what is up to its pop is the
 *              picture whose luminance or alpha is the opacity of the layer, within the box
 *   6 tile     kind, words, x, y, width, height f, MATRIX from its space to that of the outline: what is up to its pop
 *              is the picture of the tile, from its corner on
 *
 *   OUTLINE    first verb, verbs, first coordinate, coordinates
 *   MATRIX     a, b, c, d, e, f f
 *   PAINT      0, 0x00rrggbb
 *              1 (linear) or 2 (radial), spread (pad, reflect, repeat), six places f (x, y, 0, x, y, 0, or focus,
 *              its radius, centre, radius), MATRIX, stops, then offset, r, g, b, a f for each
 *              3, and 1 for the tile that ended last, or 0 for one that is nested too deep
 *
 * Verbs: 0 move (2 coordinates), 1 line (2), 2 quadratic (4), 3 cubic (6), 4 close. A transform is the index of six
 * numbers a, b, c, d, e, f. Flags: 1 even-odd, 2 edges that are not smooth, 4 miters that are cut at their limit.
 * `sampling`: optimizeQuality, optimizeSpeed, smooth, high-quality, crisp-edges, pixelated. `partial` is what
 * of a layer has no form here: 1 filters, 2 a clip path of a shape within its clip path, 4 a mask that is nested too
 * deep. `blend` is in the order of CSS: normal, multiply, screen,
 * overlay, darken, lighten, color-dodge, color-burn, hard-light, soft-light, difference, exclusion, hue, saturation,
 * color, luminosity, plus-lighter. */
typedef struct {
    const uint8_t *verbs;
    size_t verb_count;
    const float *coordinates;
    size_t coordinate_count;
    const double *transforms; /* six numbers each */
    size_t transform_count;
    const uint32_t *words;
    size_t word_count;
} bl_commands;

/* `view` maps the page's pixels to the caller's. Valid until the next call with this player. */
bl_status bl_paint(bl_player player, const double view[6], bl_commands *out);

/* The moment as triangles with smooth edges. `pixel` is the size of a pixel of the screen in the caller's space: edges fade
   along one, and curves are cut as finely as it needs. Valid until the next call with this player.
   color: red, green, blue, not multiplied by alpha, which is opacity times coverage; white where a gradient or a picture
   has the colour.
   paint: the row of the gradient in `ramps`, low byte first; the kind, 0 a colour, 1 a linear gradient with u from 0 to 1
   along it, 2 a radial one with (u, v) in its unit circle, 3 a picture with (u, v) from 0 to 1, plus 4 times how the
   gradient goes on beyond its ends, 0 its last colours, 1 back and forth, 2 again; and its focus, which is at (byte / 255, 0). */
typedef struct bl_vertex {
    float x, y;
    uint8_t color[4];
    float u, v;
    uint8_t paint[4];
} bl_vertex;
/* kind: 0 triangles, 1 the picture of a node, 2 what follows shows within these triangles alone and within those of the clips
   around it, 3 the end of the last clip. `first` and `count` are of the indices, three a triangle. */
typedef struct bl_draw {
    uint32_t kind, node, element, first, count;
} bl_draw;
/* ramps: rows of 256 colours, four bytes each, multiplied by alpha; other ones with each revision. left_out: what is drawn
   without its effect, as sums of 1 opacity of groups, 2 blending, 4 masks, 8 filters, 16 patterns, 32 gradients that begin at
   a circle, 64 shades of pictures, 128 clipped clip paths, 256 outlines too large to be cut,
   512 corners that are clipped at the miter limit. */
typedef struct bl_triangles {
    const bl_vertex *vertices;
    size_t vertex_count;
    const uint32_t *indices;
    size_t index_count;
    const bl_draw *draws;
    size_t draw_count;
    const uint8_t *ramps;
    size_t ramp_count;
    uint64_t ramp_revision;
    uint32_t left_out;
} bl_triangles;
bl_status bl_mesh(bl_player player, const double view[6], double pixel, bl_triangles *out);
/* The file of an image, by the node of its command: png 0, jpeg 1, gif 2, webp 3, svg 4. Valid as above. */
bl_status bl_image(bl_player player, uint32_t node, const uint8_t **bytes, size_t *length, uint32_t *format);
/* The page as large as fits: red, green, blue and alpha, colours multiplied by alpha, `stride` bytes a row. */
bl_status bl_render(bl_player player, uint8_t *pixels, uint32_t width, uint32_t height, size_t stride);

#ifdef __cplusplus
}
#endif

#endif
