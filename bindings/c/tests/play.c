/* Loads a pack, plays it, reads events, paints commands, renders a PPM, and calls everything with wrong handles.
 *
 *   play PACK OUT.ppm [CLIP TIME] */
#include "bone_layer.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

_Static_assert(sizeof(bl_play_options) == 32, "options");
_Static_assert(sizeof(bl_event) == 24, "events");
_Static_assert(sizeof(bl_commands) == 4 * (sizeof(void *) + sizeof(size_t)), "commands");

#define CHECK(what)                                                              \
    do {                                                                         \
        if (!(what)) {                                                           \
            fprintf(stderr, "line %d: %s: %s\n", __LINE__, #what, bl_last_error()); \
            exit(1);                                                             \
        }                                                                        \
    } while (0)
#define OK(call) CHECK((call) == BL_OK)

static uint64_t state = 7;

/* SplitMix64 (Steele, Lea and Flood, "Fast splittable pseudorandom number generators", 2014). */
static uint64_t next(void) {
    state += 0x9e3779b97f4a7c15u;
    uint64_t z = (state ^ (state >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static double number(void) {
    static const double odd[] = {0.0, 1.0, -1.0, 1e300, -1e9, 0.0 / 0.0, 1.0 / 0.0};
    return next() % 2 ? odd[next() % 7] : (double)(next() % 1000) / 250.0 - 2.0;
}

/* Reads all of a mesh: ranges are within it, and its area is that of its triangles by their coverage. */
static double triangles(const bl_triangles *mesh) {
    double area = 0;
    for (size_t at = 0; at < mesh->draw_count; at++) {
        const bl_draw *draw = &mesh->draws[at];
        CHECK(draw->kind <= 3 && draw->count % 3 == 0);
        CHECK((size_t)draw->first + draw->count <= mesh->index_count);
    }
    for (size_t at = 0; at + 2 < mesh->index_count; at += 3) {
        const bl_vertex *corner[3];
        double alpha = 0;
        for (int k = 0; k < 3; k++) {
            CHECK(mesh->indices[at + k] < mesh->vertex_count);
            corner[k] = &mesh->vertices[mesh->indices[at + k]];
            CHECK(isfinite(corner[k]->x) && isfinite(corner[k]->y));
            CHECK((corner[k]->paint[2] & 3) == 0 || (corner[k]->paint[2] & 3) == 3 ||
                  corner[k]->paint[0] + 256u * corner[k]->paint[1] < mesh->ramp_count);
            alpha += corner[k]->color[3] / 765.0;
        }
        area += alpha * fabs((double)(corner[1]->x - corner[0]->x) * (corner[2]->y - corner[0]->y) -
                             (double)(corner[1]->y - corner[0]->y) * (corner[2]->x - corner[0]->x));
    }
    for (size_t at = 0; at < mesh->ramp_count * 1024; at++) {
        area += mesh->ramps[at] * 0.0;
    }
    return area;
}

/* Every word belongs to a command, and every range is within the buffers. Returns how many commands there are. */
static size_t walk(const bl_commands *all) {
    size_t count = 0, at = 0;
    int open = 0;
    while (at < all->word_count) {
        const uint32_t *command = all->words + at;
        CHECK(command[0] <= 6 && command[1] >= 2 && at + command[1] <= all->word_count);
        if (command[0] <= 1) {
            CHECK(command[4] < all->transform_count);
            CHECK((size_t)command[5] + command[6] <= all->verb_count);
            CHECK((size_t)command[7] + command[8] <= all->coordinate_count);
        }
        open += command[0] == 3 || command[0] >= 5 ? 1 : command[0] == 4 ? -1 : 0;
        CHECK(open >= 0);
        at += command[1];
        count++;
    }
    CHECK(open == 0);
    return count;
}

static void wrong_calls(bl_figure figure, bl_player player) {
    size_t statuses[BL_OTHER + 1] = {0};
    for (int call = 0; call < 10000; call++) {
        uint64_t handles[] = {figure, player, player, player, 0, next(), player + (1ull << 32), UINT64_MAX};
        uint64_t handle = handles[next() % 8];
        uint32_t id = next() % 4 ? (uint32_t)(next() % 40) : (uint32_t)next();
        double a = number(), b = number(), numbers[8];
        bl_play_options options = {next() % 3 ? sizeof options : 4, (uint32_t)next() % 4, a, b, a};
        const bl_event *events;
        const uint8_t *file;
        size_t length;
        uint32_t found;
        uint64_t playback;
        bl_commands commands;
        char name[16];
        float rgba[4] = {(float)a, (float)b, 0.5f, 1.0f};
        bl_status status = BL_OK;
        switch (next() % 27) {
        case 0: status = bl_play(handle, id, next() % 2 ? &options : NULL, &playback); break;
        case 1: status = bl_layer(handle, id, a, b, NULL); break;
        case 2: status = bl_stop(handle, next() % 200, a); break;
        case 3: status = bl_seek(handle, next() % 200, a); break;
        case 4: status = bl_set_speed(handle, next() % 200, a); break;
        case 5: status = bl_step(handle, a < 1.0 ? a : 0.1); break;
        case 6: status = bl_events(handle, &events, &length); break;
        case 7: status = bl_set_input(handle, id, a); break;
        case 8: status = bl_set_target(handle, id, a, b); break;
        case 9: status = bl_reset_input(handle, id); break;
        case 10: status = bl_set_color(handle, id, id % 3, next() % 2 ? rgba : NULL); break;
        case 11: status = bl_set_visible(handle, id, (int32_t)(next() % 4) - 1); break;
        case 12: status = bl_set_text(handle, id, "hi\xff", 2 + next() % 2); break;
        case 13: status = bl_bone_get(handle, id, next() % 8 ? numbers : NULL); break;
        case 14: status = bl_hit(handle, a * 100, b * 100, 1.0, &found); break;
        case 15: status = bl_bounds(handle, id, numbers); break;
        case 16: {
            double view[6] = {a, 0, 0, b, 0, 0};
            status = bl_paint(handle, next() % 8 ? view : NULL, &commands);
            if (status == BL_OK) {
                walk(&commands);
            }
            break;
        }
        case 25: {
            double view[6] = {a, b, 0, a, b * 1e3, 0};
            bl_triangles mesh;
            status = bl_mesh(handle, next() % 8 ? view : NULL, next() % 8 ? 0.1 + a * a : -b, &mesh);
            if (status == BL_OK) {
                triangles(&mesh);
            }
            break;
        }
        case 17: status = bl_image(handle, id, &file, &length, &found); break;
        case 18: status = bl_figure_name(handle, id % 10, id, name, next() % 16, &length); break;
        case 19: status = bl_figure_find(handle, id % 10, "walk", 4, next() % 8 ? &found : NULL); break;
        case 20: status = bl_clip_info(handle, id, numbers); break;
        case 21: {
            uint32_t worn[2] = {id, 0};
            status = bl_wear(handle, next() % 4 ? worn : NULL, next() % 3);
            break;
        }
        case 22: status = bl_fire(handle, id); break;
        case 23: {
            double pose[6] = {a, b, a * 30, 1, b, 1};
            status = bl_set_bone(handle, id, next() % 4 ? pose : NULL, (uint32_t)next() % 3);
            break;
        }
        case 24: status = bl_drag(handle, id, a * 100, b * 100, (uint32_t)next() % 4, next() % 8 ? numbers : NULL); break;
        default: status = bl_free(next() | 1ull << 63); break;
        }
        CHECK(status <= BL_OTHER && status != BL_PANIC);
        CHECK(status == BL_OK || bl_last_error()[0] != 0);
        statuses[status]++;
    }
    for (int status = 0; status <= BL_OTHER; status++) {
        printf("status %d: %zu\n", status, statuses[status]);
    }
    CHECK(statuses[BL_OK] > 500 && statuses[BL_CLOSED] > 3000 && statuses[BL_NUMBER] > 100);
}

int main(int count, char **arguments) {
    CHECK(count >= 3);
    FILE *file = fopen(arguments[1], "rb");
    CHECK(file != NULL);
    fseek(file, 0, SEEK_END);
    size_t length = (size_t)ftell(file);
    rewind(file);
    uint8_t *pack = malloc(length);
    CHECK(pack != NULL && fread(pack, 1, length, file) == length);
    fclose(file);

    bl_figure figure;
    CHECK(bl_abi_version() == 3);
    CHECK(bl_figure_load(pack, length / 2, &figure) == BL_PACK);
    CHECK(bl_figure_load(NULL, length, &figure) == BL_NULL);
    OK(bl_figure_load(pack, length, &figure));
    memset(pack, 0, length);
    free(pack);

    double page[8], info[2];
    uint32_t clips, clip = 0;
    OK(bl_figure_page(figure, page));
    OK(bl_figure_count(figure, BL_CLIP, &clips));
    CHECK(clips > 0);
    if (count >= 5) {
        OK(bl_figure_find(figure, BL_CLIP, arguments[3], strlen(arguments[3]), &clip));
    }
    OK(bl_clip_info(figure, clip, info));
    CHECK(bl_figure_find(figure, BL_CLIP, "no such clip", 12, &clips) == BL_NAME);
    printf("%g x %g, %u clips; %s\n", page[0], page[1], clips, bl_last_error());

    bl_player player, other;
    OK(bl_player_new(figure, &player));
    OK(bl_player_new(figure, &other));
    CHECK(player != other);
    bl_play_options options = {sizeof options, 3, 0.0, 1.0, 0.0};
    uint64_t playback;
    OK(bl_play(player, clip, &options, &playback));
    int ended = 0;
    for (double time = 0.0; time < 4.0 * info[0] + 1.0; time += 1.0 / 30.0) {
        OK(bl_step(player, 1.0 / 30.0));
        const bl_event *events;
        size_t events_count;
        OK(bl_events(player, &events, &events_count));
        for (size_t at = 0; at < events_count; at++) {
            ended += events[at].kind == BL_ENDED && events[at].playback == playback;
        }
    }
    CHECK(ended == 1);

    const double view[6] = {1, 0, 0, 1, 0, 0};
    bl_commands commands;
    OK(bl_paint(player, view, &commands));
    printf("%zu commands, %zu words, %zu coordinates\n", walk(&commands), commands.word_count,
           commands.coordinate_count);
    CHECK(commands.word_count > 0);

    /* Twice as fine a view has the triangles at twice the size. */
    bl_triangles mesh;
    const double twice[6] = {2, 0, 0, 2, 0, 0};
    OK(bl_mesh(player, view, 1, &mesh));
    const double area = triangles(&mesh);
    OK(bl_mesh(player, twice, 1, &mesh));
    CHECK(area > 0 && fabs(triangles(&mesh) / area - 4) < 0.05);
    printf("%zu vertices, %zu triangles, %zu draws\n", mesh.vertex_count, mesh.index_count / 3, mesh.draw_count);

    OK(bl_exact(player, clip, count >= 5 ? atof(arguments[4]) : 0.0));
    /* A bone turns on top of the clip, and its tip is dragged; without both the moment is as before. */
    double before[6], after[6], tip[2], turn[6] = {0, 0, 30, 1, 1, 1};
    OK(bl_bone_get(player, 0, before));
    OK(bl_set_bone(player, 0, turn, 0));
    OK(bl_exact(player, clip, count >= 5 ? atof(arguments[4]) : 0.0));
    OK(bl_bone_get(player, 0, after));
    CHECK(memcmp(before, after, sizeof before) != 0);
    bl_status dragged = bl_drag(player, 0, after[4] + 20, after[5] - 30, 1, tip);
    CHECK(dragged == BL_OK || dragged == BL_OTHER);
    OK(bl_set_bone(player, 0, NULL, 0));
    OK(bl_exact(player, clip, count >= 5 ? atof(arguments[4]) : 0.0));
    OK(bl_bone_get(player, 0, after));
    CHECK(memcmp(before, after, sizeof before) == 0);

    uint32_t width = (uint32_t)page[0], height = (uint32_t)page[1];
    size_t stride = (size_t)width * 4 + 12;
    uint8_t *pixels = malloc(stride * height);
    CHECK(pixels != NULL);
    CHECK(bl_render(player, pixels, width, height, width) == BL_SPACE);
    OK(bl_render(player, pixels, width, height, stride));
    FILE *out = fopen(arguments[2], "wb");
    CHECK(out != NULL);
    fprintf(out, "P6\n%u %u\n255\n", width, height);
    for (uint32_t y = 0; y < height; y++) {
        for (uint32_t x = 0; x < width; x++) {
            const uint8_t *pixel = pixels + y * stride + x * 4;
            for (int part = 0; part < 3; part++) {
                /* On white. */
                fputc(pixel[part] + (255 - pixel[3]), out);
            }
        }
    }
    fclose(out);
    free(pixels);

    wrong_calls(figure, player);
    OK(bl_free(figure));
    CHECK(bl_free(figure) == BL_CLOSED);
    CHECK(bl_player_new(figure, &other) == BL_CLOSED);
    /* A player keeps what it plays. */
    OK(bl_step(player, 0.1));
    OK(bl_paint(player, view, &commands));
    OK(bl_free(player));
    CHECK(bl_step(player, 0.1) == BL_CLOSED);
    puts("fine");
    return 0;
}
